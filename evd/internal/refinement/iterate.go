package refinement

import (
	"math"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
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
)

// Iteration is the state of one refinement of A·x = λ·x. Load or the caller brings σ·A and the
// vectors to the device. Iterate, Download and Certify follow.
type Iteration[T emulation.Double] struct {
	*Stages[T]
	Steps[T]
}

// NewIteration returns the state of a call. `large` solves the eigenproblems of clusters that are
// too large for the host.
func NewIteration[T emulation.Double](s *Stages[T], c *plan.Call, large Eigensolver[T]) Iteration[T] {
	return Iteration[T]{s, Steps[T]{Call: c, Stage: s.refine, Products: s.products, Large: large}}
}

// Place sets the matrices to the device memory of the call.
func (s *Iteration[T]) Place() { s.X, s.Y, s.Of.A = s.in(s.x[0]), s.in(s.x[1]), s.MatrixA() }

// `in` returns the region r of device memory as an n×n matrix.
func (s *Iteration[T]) in(r vk.Region[T]) product.Matrix[T] {
	return product.NewMatrix(r.In(s.Arena), s.N, s.N, s.N)
}

// MatrixA is the device memory of σ·A, with both triangles.
func (s *Iteration[T]) MatrixA() product.Matrix[T] { return s.in(s.a) }

// Load uploads the matrix A and the approximate vectors q, and the device multiplies A by σ, a
// power of two. Load returns σ.
func (s *Iteration[T]) Load(a dense.Triangle[T], q dense.Stored[T]) (sigma float64, err error) {
	largest, err := a.Largest()
	if err != nil {
		return 0, err
	}
	sigma = dense.Scaling[T](largest)
	s.Place()
	to := s.Y // Restore writes one vector in each column
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
		s.RecordLoad(rec, a, sigma)
		if !q.Transposed {
			s.RecordTranspose(rec)
		}
	})
}

// RecordLoad multiplies the triangle of A that was uploaded by σ, unless Triangle.UploadScaled has
// done so, and copies it to the other one.
func (s *Iteration[T]) RecordLoad(rec *vk.Recorder, a dense.Triangle[T], sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	s.load.Record(rec, s.MatrixA(), a.Form(), dense.OnDevice[T](sigma))
}

// RecordTranspose copies vectors from Y, one per column, to X, one per row.
func (s *Iteration[T]) RecordTranspose(rec *vk.Recorder) { s.orient.Transpose.Record(rec, s.Y, s.X) }

// Iterate improves the vectors until their error is a rounding error. If it finds that the
// iteration does not help, it sets Counts.Cold, and the caller must solve without the approximate
// vectors. σ·A and the vectors must be on the device.
func (s *Iteration[T]) Iterate() error {
	unit := float64(s.N) * spectrum.Ulp
	most, err := s.firstError()
	if err != nil {
		return err
	}
	for s.Counts.Steps < mostSteps {
		ops := s.products.within(most)
		left, err := s.Step(ops, func(norm float64) refine.Noise[T] {
			return refine.Noise[T]{A: math.Max(refine.RefinementNoise(s.N, norm), ops.error*norm)}
		})
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
// native products. Let c be the size of the off-diagonal elements of XᴴAX relative to ‖A‖, in a
// sample with both ends of the spectrum. Gaps between eigenvalues are about ‖A‖/n, so the
// correction E has elements of about n·c. The step leaves an error of about (n·c)². An error δ of
// the products gives an error of n·δ in E, so δ may be n·c².
func (s *Iteration[T]) firstError() (float64, error) {
	rough := s.products.rough()
	if rough == 0 {
		return 0, nil
	}
	var blocks []T
	var m int
	err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRefineProducts, 0, 1)
		at, size := s.Stage.RecordSample(rec, s.Arena, s.products.native, s.MatrixA(), s.X, s.Y)
		blocks, m = make([]T, at.Len()), size
		vk.Receive(rec, blocks, at)
	})
	norm, coupling := 0.0, 0.0
	for i, x := range dense.Magnitudes(blocks, 1, make([]float64, len(blocks))) {
		if i%(m*m)%(m+1) == 0 { // an element of the diagonal of a block
			norm = math.Max(norm, x)
		} else {
			coupling = math.Max(coupling, x)
		}
	}
	c := coupling / norm
	if !(c < 1) { // c is too large, or NaN
		return rough, err
	}
	return max(rough, float64(s.N)*c*c), err
}

// Download returns the eigenvalues in ascending order and the eigenvectors, which it copies to
// `memory`. Y then has the vectors, one per column, in the order of Lambda.
func (s *Iteration[T]) Download(sigma float64, memory *plan.ResultMemory[T]) (values []float64, z vk.Columns[T], err error) {
	from := s.Y
	if err := s.Run(func(rec *vk.Recorder) { from = s.orient.Record(rec, s.X, s.Y, nil) }); err != nil {
		return nil, z, err
	}
	z = memory.Wait()
	if err := vk.Download(s.Ctx, s.Dev, z, from.At); err != nil {
		return nil, z, plan.During(stages.PhaseTranspose, err)
	}
	return sorted(spectrum.Unscale[float64](s.Lambda, sigma), z, s.rowMajor), z, nil
}

// Certify measures the errors of the result after Download. The results are the column sums of
// dense.Solve.ColumnSums, the norm ‖σ·A‖₁, and Triangle.Invariants.
func (s *Iteration[T]) Certify(a dense.Triangle[T], sigma float64) (sums [2][]float64, norm, invariants float64, err error) {
	var found [2][]T
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, s.residuals.Flops())
		out := residual.Sums[T]{Lambda: s.sums[0].In(s.Arena), Residual: s.sums[1].In(s.Arena), Orthogonality: s.sums[2].In(s.Arena)}
		vk.SendFirst(rec, out.Lambda, spectrum.Unscale[T](s.Lambda, 1))
		s.residuals.Record(rec, s.Arena, s.MatrixA(), s.Y, out)
		for i, from := range []vk.Slice[T]{out.Residual, out.Orthogonality} {
			found[i] = make([]T, s.N)
			vk.ReceiveLast(rec, found[i], from)
		}
	})
	if err != nil {
		return sums, 0, 0, err
	}
	for i := range sums {
		sums[i] = spectrum.Scale(found[i], 1)
	}
	t := spectrum.Tridiagonal{D: s.Lambda, E: make([]float64, s.N-1)}
	return sums, max(a.Norm1(sigma), spectrum.SafeMin*sigma), a.Invariants(sigma, t), nil
}
