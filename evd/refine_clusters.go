package evd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/vk"
)

// hostCluster is the largest order of a cluster whose eigenproblem the host solves. For larger
// clusters a Plan solves the eigenproblem on the device.
const hostCluster = 64

// ritz solves the eigenproblem of each cluster (Rayleigh and Ritz). It replaces the values λ of the
// cluster by the eigenvalues. It returns w, the eigenvectors in the form that refine.Refinement
// expects. `inside` is the largest sum of off-diagonal magnitudes in a column of a cluster's matrix.
// It measures how far the vectors of one cluster were mixed.
func (s *refinement) ritz(clusters refine.Clusters) (inside float64, w []float64, err error) {
	var ld int
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRitz, 0, 1)
		blocks := s.steps.refine.RecordClusters(rec, s.Arena, clusters, s.y)
		ld, w = blocks.Ld, make([]float64, blocks.Rows*blocks.Cols)
		vk.ReceiveLast(rec, w, blocks.At)
	})
	if err != nil {
		return 0, nil, err
	}
	solver := ritzSolver{refinement: s}
	defer solver.close()
	for _, c := range clusters {
		m := c.To - c.From
		if m == 1 {
			continue
		}
		block := w[c.From*ld:]
		inside = max(inside, couplings(m, ld, block))
		if err := solver.solve(m, ld, block, s.lambda[c.From:c.To]); err != nil {
			return 0, nil, err
		}
	}
	return inside, w, nil
}

// couplings returns the largest column sum of magnitudes outside the diagonal, for the m×m matrix
// `block`.
func couplings(m, ld int, block []float64) (largest float64) {
	for j := range m {
		sum := 0.0
		for i := range m {
			if i != j {
				sum += math.Abs(block[i+j*ld])
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// ritzSolver solves the eigenproblems of clusters. It keeps the plan for a large cluster, because
// the next cluster may have the same order.
type ritzSolver struct {
	*refinement
	plan *Plan[float64]
}

// solve replaces the m×m matrix `block` by its eigenvectors, one per column, and the list `values`
// by its eigenvalues in ascending order.
func (r *ritzSolver) solve(m, ld int, block, values []float64) error {
	if m <= hostCluster {
		return ritzOnHost(m, ld, block, values)
	}
	if r.plan == nil || r.plan.team.N != m {
		r.close()
		opt := Options{Vectors: true, Tuning: r.opt.Tuning, Products: r.opt.Products, Moduli: r.opt.Moduli}
		var err error
		if r.plan, err = NewPlan[float64](r.Dev, m, opt); err != nil {
			return err
		}
	}
	res, err := r.plan.Solve(r.Ctx, Sym[float64]{N: m, Ld: ld, Data: block})
	if err != nil {
		return err
	}
	copy(values, res.Values)
	for j := range m {
		copy(block[j*ld:j*ld+m], res.Vectors.Col(j))
	}
	r.Profile.Add(stages.PhaseRitz, res.Profile.Total())
	return nil
}

// close closes the plan, if there is one.
func (r *ritzSolver) close() {
	if r.plan != nil {
		r.plan.Close()
		r.plan = nil
	}
}

// ritzOnHost computes the eigenvectors and eigenvalues of a cluster's matrix by gonum: it replaces
// `block` by the vectors, one per column, and `values` by the eigenvalues. It first scales the
// matrix by a power of two, because gonum's Dsterf panics if entries are below about 10⁻¹²².
func ritzOnHost(m, ld int, block, values []float64) error {
	largest := 0.0
	for j := range m {
		for i := range m {
			largest = max(largest, math.Abs(block[i+j*ld]))
		}
	}
	_, exponent := math.Frexp(largest)
	a := mat.NewSymDense(m, nil)
	for j := range m {
		for i := range j + 1 {
			a.SetSym(i, j, math.Ldexp(block[i+j*ld], -exponent))
		}
	}
	var solved mat.EigenSym
	if !solved.Factorize(a, true) {
		return &plan.NoConvergenceError{Stage: stages.PhaseRitz, End: m}
	}
	for i, x := range solved.Values(nil) {
		values[i] = math.Ldexp(x, exponent)
	}
	var z mat.Dense
	solved.VectorsTo(&z)
	for j := range m {
		for i := range m {
			block[i+j*ld] = z.At(i, j)
		}
	}
	return nil
}
