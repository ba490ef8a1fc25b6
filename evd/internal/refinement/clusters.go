package refinement

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// hostCluster is the largest order of a cluster whose eigenproblem the host solves. For larger
// clusters an Eigensolver solves the eigenproblem on the device.
const hostCluster = 64

// Eigensolver solves the eigenproblems of large clusters. Solve replaces the m×m matrix `block` by
// its eigenvectors, one per column, and the list `values` by its eigenvalues in ascending order. It
// adds its time to the profile of the call c, and may keep memory until Close, because the next
// cluster may have the same order. Solve may follow Close.
type Eigensolver[T spirv.Scalar] interface {
	Solve(c *plan.Call, m, ld int, block []T, values []float64) error
	Close()
}

// ritz solves the eigenproblem of each cluster (Rayleigh and Ritz). It replaces the values λ of the
// cluster by the eigenvalues. It returns w, the eigenvectors in the form that refine.Refinement
// expects. `inside` is the largest sum of off-diagonal magnitudes in a column of a cluster's
// matrix. `inside` measures how far the vectors of one cluster were mixed.
func (s *Steps[T]) ritz(clusters refine.Clusters) (inside float64, w []T, err error) {
	var ld int
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRitz, 0, 1)
		blocks := s.Stage.RecordClusters(rec, s.Arena, clusters, s.Y)
		ld, w = blocks.Ld, make([]T, blocks.Rows*blocks.Cols)
		vk.ReceiveLast(rec, w, blocks.At)
	})
	if err != nil {
		return 0, nil, err
	}
	if s.Large != nil {
		defer s.Large.Close()
	}
	for _, c := range clusters {
		m := c.To - c.From
		if m == 1 {
			continue
		}
		block := w[c.From*ld : c.To*ld]
		inside = max(inside, couplings(m, ld, block))
		values := s.Lambda[c.From:c.To]
		if m <= hostCluster {
			err = ritzOnHost(m, ld, block, values)
		} else {
			err = s.Large.Solve(s.Call, m, ld, block, values)
		}
		if err != nil {
			return 0, nil, err
		}
	}
	return inside, w, nil
}

// couplings returns the largest column sum of magnitudes outside the diagonal, for the m×m matrix
// `block`.
func couplings[T spirv.Scalar](m, ld int, block []T) (largest float64) {
	room := make([]float64, m)
	for j := range m {
		sum := 0.0
		for i, x := range dense.Magnitudes(block[j*ld:j*ld+m], 1, room) {
			if i != j {
				sum += x
			}
		}
		largest = max(largest, sum)
	}
	return largest
}

// ritzOnHost computes the eigenvectors and eigenvalues of a cluster's matrix: it replaces `block`
// by the vectors, one per column, and `values` by the eigenvalues.
func ritzOnHost[T spirv.Scalar](m, ld int, block []T, values []float64) (err error) {
	switch block := any(block).(type) {
	case []complex128:
		err = hermitian(m, ld, block, values)
	case []complex64:
		wide := make([]complex128, len(block))
		for i, z := range block {
			wide[i] = complex128(z)
		}
		err = hermitian(m, ld, wide, values)
		for i, z := range wide {
			block[i] = complex64(z)
		}
	case []float32:
		wide := spectrum.Scale(block, 1)
		err = symmetric(m, ld, wide, values)
		copy(block, spectrum.Unscale[float32](wide, 1))
	case []float64:
		err = symmetric(m, ld, block, values)
	}
	return err
}

// symmetric does the same as ritzOnHost for real numbers, by gonum. It first scales the matrix by a
// power of two, because gonum's Dsterf panics if entries are below about 10⁻¹²².
func symmetric(m, ld int, block, values []float64) error {
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
