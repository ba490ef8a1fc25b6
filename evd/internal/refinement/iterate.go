package refinement

import (
	"errors"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/vk"
)

const (
	// mostSteps is the largest number of steps of the iteration. Test matrices of package matgen
	// take 2 steps from vectors in single precision, 3 steps if the matrix has changed by 10⁻⁴·‖A‖,
	// and at most 6 steps.
	mostSteps = 6

	// mostLeft is the largest error, in units of n·ulp, that the iteration may leave. When the
	// estimated error is below it, the iteration ends. The measured ratios of orthogonality are
	// about as large as this estimate.
	mostLeft = 2

	// mostChange is the largest allowed change ‖E‖_∞ of the vectors in a step. If the change is
	// larger, the approximate vectors are not good enough, and the iteration ends.
	mostChange = 0.5

	// mostCluster is the largest allowed size of a cluster, as a fraction of all eigenvalues.
	mostCluster = 0.5
)

// Iteration is the state of one refinement. Load or the caller brings σ·A and the vectors to the
// device. Iterate, Download and Certify follow.
type Iteration struct {
	*Stages
	*plan.Call

	// Large solves the eigenproblems of clusters that are too large for the host.
	Large Eigensolver

	// Counts has the numbers of steps and clusters, the changes of the vectors, and the reason for
	// a cold solve.
	Counts Counts

	// X is the device memory of the approximate vectors, one per row, and Y is that of the improved
	// vectors. Each step exchanges the two.
	X, Y product.Matrix[float64]

	// lambda are the eigenvalues of σ·A that the last step has computed.
	lambda []float64

	// noise is the size below which off-diagonal elements of S = XᵀAX count as rounding errors in
	// this step. The rows of Xᵀ are the vectors.
	noise float64
}

// Counts are the fields of evd.Refinement.
type Counts struct {
	Steps             int
	Changes           []float64
	Clusters, Largest int
	Cold              string
}

// These are reasons in Counts.Cold, as in package evd.
const (
	ColdFar     = "the vectors are not near to orthonormal eigenvectors"
	ColdCluster = "too many eigenvalues are in one cluster"
	ColdSteps   = "the iteration does not converge"
)

// Place sets X and Y to the device memory of the call.
func (s *Iteration) Place() { s.X, s.Y = s.in(s.x[0]), s.in(s.x[1]) }

// `in` returns the region r of device memory as an n×n matrix.
func (s *Iteration) in(r vk.Region[float64]) product.Matrix[float64] {
	return product.NewMatrix(r.In(s.Arena), s.N, s.N, s.N)
}

// MatrixA is the device memory of σ·A, with both triangles.
func (s *Iteration) MatrixA() product.Matrix[float64] { return s.in(s.a) }

// Load uploads the matrix A and the approximate vectors q, and the device multiplies A by σ, a
// power of two. Load returns σ.
func (s *Iteration) Load(a dense.Triangle[float64], q dense.Stored[float64]) (sigma float64, err error) {
	largest, err := a.Largest()
	if err != nil {
		return 0, err
	}
	sigma = dense.Scaling[float64](largest)
	s.Place()
	to := s.Y // a vector per column
	if q.Transposed {
		to = s.X
	}
	if err := plan.During(stages.PhaseLoad, vk.Upload(s.Ctx, s.Dev, to.At, q.Columns)); err != nil {
		return 0, err
	}
	if err := a.UploadScaled(s.Ctx, s.Dev, s.MatrixA().At, sigma); err != nil {
		return 0, err
	}
	return sigma, s.Run(func(rec *vk.Recorder) {
		s.RecordLoad(rec, a.Upper, sigma)
		if !q.Transposed {
			s.RecordTranspose(rec)
		}
	})
}

// RecordLoad multiplies the upper or the lower triangle of A by σ, unless Triangle.UploadScaled has
// done so, and copies it to the other one.
func (s *Iteration) RecordLoad(rec *vk.Recorder, upper bool, sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	s.load.Record(rec, s.MatrixA(), move.Triangle{Upper: upper}, dense.OnDevice[float64](sigma))
}

// RecordTranspose copies vectors from Y, one per column, to X, one per row.
func (s *Iteration) RecordTranspose(rec *vk.Recorder) { s.orient.Transpose.Record(rec, s.Y, s.X) }

// Iterate improves the vectors until their error is a rounding error. If it finds that the
// iteration does not help, it sets Counts.Cold, and the caller must solve without the approximate
// vectors. σ·A and the vectors must be on the device.
func (s *Iteration) Iterate() error {
	unit := float64(s.N) * spectrum.Ulp
	most, err := s.firstError()
	if err != nil {
		return err
	}
	for s.Counts.Steps < mostSteps {
		ops := s.products.within(most)
		left, err := s.step(ops)
		if err != nil || s.Counts.Cold != "" {
			return err
		}
		if left <= mostLeft*unit && ops.error == 0 {
			return nil
		}
		// The next change of the vectors will be about half of the estimated error, and leaves an
		// error of its square. If this square is too large, the next step is not the last one, and
		// rough products are enough for it.
		if most = 0; left/2 > math.Sqrt(mostLeft*unit) {
			most = s.products.rough()
		}
	}
	s.Counts.Cold = ColdSteps
	return nil
}

// firstError returns the largest error that the products of the first step may have. It is 0 for
// native products. Let c be the size of the off-diagonal elements of XᵀAX relative to ‖A‖, in a
// sample with both ends of the spectrum. Gaps between eigenvalues are about ‖A‖/n, so the
// correction E has elements of about n·c. The step leaves an error of about (n·c)². An error δ of
// the products gives an error of n·δ in E, so δ may be n·c².
func (s *Iteration) firstError() (float64, error) {
	rough := s.products.rough()
	if rough == 0 {
		return 0, nil
	}
	var blocks []float64
	var m int
	err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRefineProducts, 0, 1)
		at, size := s.refine.RecordSample(rec, s.Arena, s.products.native, s.MatrixA(), s.X, s.Y)
		blocks, m = make([]float64, at.Len()), size
		vk.Receive(rec, blocks, at)
	})
	norm, coupling := 0.0, 0.0
	for i, x := range blocks {
		if i%(m*m)%(m+1) == 0 { // on the diagonal
			norm = math.Max(norm, math.Abs(x))
		} else {
			coupling = math.Max(coupling, math.Abs(x))
		}
	}
	c := coupling / norm
	if !(c < 1) { // or NaN
		return rough, err
	}
	return max(rough, float64(s.N)*c*c), err
}

// step does one step of the iteration, with the products `ops` for XᵀAX and XᵀX. The result `left`
// estimates the error of the vectors X after the step: of XᵀX relative to 1, and of XᵀAX relative
// to ‖A‖.
func (s *Iteration) step(ops operations) (left float64, err error) {
	s.Counts.Steps++
	norm, err := s.quotients(ops)
	if err != nil {
		return 0, err
	}
	if !(norm <= math.MaxFloat64) { // or NaN
		s.Counts.Cold = ColdFar
		return 0, nil
	}
	s.noise = math.Max(refine.RefinementNoise(s.N, norm), ops.error*norm)
	clusters, err := s.clusters()
	if err != nil {
		return 0, err
	}
	s.Counts.Clusters = max(s.Counts.Clusters, clusters.Count())
	s.Counts.Largest = max(s.Counts.Largest, clusters.Largest())
	if m := clusters.Largest(); m > 2 && float64(m) > mostCluster*float64(s.N) {
		s.Counts.Cold = ColdCluster
		return 0, nil
	}
	inside, w, err := s.ritz(clusters)
	if errors.As(err, new(*vk.OutOfMemoryError)) { // a cold solve frees the memory of this plan first
		s.Counts.Cold = ColdCluster
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	change, err := s.correct()
	if err != nil {
		return 0, err
	}
	s.Counts.Changes = append(s.Counts.Changes, change)
	if !(change < mostChange) { // or NaN
		s.Counts.Cold = ColdFar
		return 0, nil
	}
	left = change * change
	if norm > 0 {
		left += change * inside / norm
	}
	size := change
	if clusters.Largest() > 1 {
		size = 1 // rotations within clusters are not small
	}
	remains := max(change*change/2, mostLeft*float64(s.N)*spectrum.Ulp)
	return left, s.update(s.products.forUpdate(s.N, size, remains), clusters, w)
}

// quotients computes S = XᵀAX, XᵀX and the Rayleigh quotients λ of the vectors X. It returns max
// |λ|, which estimates ‖A‖₂, or NaN.
func (s *Iteration) quotients(ops product.Ops[float64]) (norm float64, err error) {
	s.lambda = make([]float64, s.N)
	err = s.Run(func(rec *vk.Recorder) {
		s.products.emulated.Begin(rec, s.Arena)
		rec.Phase(stages.PhaseRefineProducts, float64(min(s.Counts.Steps-1, usualSteps)), usualSteps)
		vk.Receive(rec, s.lambda, s.refine.RecordProducts(rec, s.Arena, ops, s.MatrixA(), s.X, s.Y))
		s.products.emulated.Refused(s.Call, rec, s.Arena)
	})
	for _, x := range s.lambda {
		norm = math.Max(norm, math.Abs(x))
	}
	return norm, err
}

// clusters divides the eigenvalues of this step into clusters, sets of eigenvalues that are too
// close for the iteration.
func (s *Iteration) clusters() (refine.Clusters, error) {
	reach, strength := make([]float64, s.N), make([]float64, s.N)
	err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRitz, 0, 1)
		r, g := s.refine.RecordCouplings(rec, s.Arena, s.noise)
		vk.Receive(rec, reach, r)
		vk.Receive(rec, strength, g)
	})
	if err != nil {
		return nil, err
	}
	return refine.NewClusters(s.lambda, reach, strength), nil
}

// correct computes the correction E of the vectors X, and returns its size ‖E‖_∞, or NaN.
func (s *Iteration) correct() (change float64, err error) {
	sums := make([]float64, s.N)
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRefineUpdate, 0, 1)
		vk.Receive(rec, sums, s.refine.RecordCorrection(rec, s.Arena, s.noise))
	})
	if slices.ContainsFunc(sums, math.IsNaN) {
		return math.NaN(), err
	}
	return slices.Max(sums), err
}

// update replaces the vectors X by X + X·E. `w` has the eigenvectors of the clusters.
func (s *Iteration) update(ops product.Ops[float64], clusters refine.Clusters, w []float64) error {
	err := s.Run(func(rec *vk.Recorder) {
		s.products.emulated.Begin(rec, s.Arena)
		rec.Phase(stages.PhaseRefineUpdate, 0, 1)
		vk.SendFirst(rec, s.Y.At, w)
		s.refine.RecordUpdate(rec, s.Arena, ops, clusters, s.X, s.Y)
		s.products.emulated.Refused(s.Call, rec, s.Arena)
	})
	s.X, s.Y = s.Y, s.X
	return err
}

// Download returns the eigenvalues in ascending order and the eigenvectors, which it copies to
// `memory`. Y then has the vectors, one per column.
func (s *Iteration) Download(sigma float64, memory *plan.ResultMemory[float64]) (values []float64, z vk.Columns[float64], err error) {
	slices.Sort(s.lambda) // they may be in the wrong order by rounding errors
	values = spectrum.Unscale[float64](s.lambda, sigma)
	from := s.Y
	if err := s.Run(func(rec *vk.Recorder) { from = s.orient.Record(rec, s.X, s.Y, nil) }); err != nil {
		return nil, z, err
	}
	z = memory.Wait()
	return values, z, plan.During(stages.PhaseTranspose, vk.Download(s.Ctx, s.Dev, z, from.At))
}

// Certify measures the errors of the result after Download. The results are the column sums of
// dense.Solve.ColumnSums, the norm ‖σ·A‖₁, and Triangle.Invariants.
func (s *Iteration) Certify(a dense.Triangle[float64], sigma float64) (sums [2][]float64, norm, invariants float64, err error) {
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, s.residuals.Flops())
		out := residual.Sums[float64]{Lambda: s.sums[0].In(s.Arena), Residual: s.sums[1].In(s.Arena), Orthogonality: s.sums[2].In(s.Arena)}
		vk.SendFirst(rec, out.Lambda, s.lambda)
		s.residuals.Record(rec, s.Arena, s.MatrixA(), s.Y, out)
		for i, from := range []vk.Slice[float64]{out.Residual, out.Orthogonality} {
			sums[i] = make([]float64, s.N)
			vk.ReceiveLast(rec, sums[i], from)
		}
	})
	if err != nil {
		return sums, 0, 0, err
	}
	t := spectrum.Tridiagonal{D: s.lambda, E: make([]float64, s.N-1)}
	return sums, max(a.Norm1(sigma), spectrum.SafeMin*sigma), a.Invariants(sigma, t), nil
}
