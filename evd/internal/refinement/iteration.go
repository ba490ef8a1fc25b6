package refinement

import (
	"slices"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/vk"
)

// Iteration is the state of one refinement. Load or the caller brings σ·A and the vectors to the device.
// Iterate, Download and Certify follow.
type Iteration struct {
	*Stages
	*plan.Call

	// Large solves the eigenproblems of clusters that are too large for the host.
	Large Eigensolver

	// Counts has the numbers of steps and clusters, the changes of the vectors, and the reason for a
	// cold solve.
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

// in returns the region r of device memory as an n×n matrix.
func (s *Iteration) in(r vk.Region[float64]) product.Matrix[float64] {
	return product.NewMatrix(r.In(s.Arena), s.N, s.N, s.N)
}

// MatrixA is the device memory of σ·A, with both triangles.
func (s *Iteration) MatrixA() product.Matrix[float64] { return s.in(s.a) }

// Load uploads the matrix A and the approximate vectors q, and the device multiplies A by σ, a power of
// two. It returns σ.
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
	if err := a.Upload(s.Ctx, s.Dev, s.MatrixA().At); err != nil {
		return 0, err
	}
	return sigma, s.Run(func(rec *vk.Recorder) {
		s.RecordLoad(rec, a.Upper, sigma)
		if !q.Transposed {
			s.RecordTranspose(rec)
		}
	})
}

// RecordLoad multiplies the upper or the lower triangle of A by σ and copies it to the other one.
func (s *Iteration) RecordLoad(rec *vk.Recorder, upper bool, sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	s.load.Record(rec, s.MatrixA(), upper, sigma)
}

// RecordTranspose copies vectors from Y, one per column, to X, one per row.
func (s *Iteration) RecordTranspose(rec *vk.Recorder) { s.orient.Transpose.Record(rec, s.Y, s.X) }

// Download returns the eigenvalues in ascending order and the eigenvectors, which it copies to `memory`.
// Y then has the vectors, one per column.
func (s *Iteration) Download(sigma float64, memory *plan.ResultMemory[float64]) (values []float64, z vk.Columns[float64], err error) {
	slices.Sort(s.lambda) // they may be in the wrong order by rounding errors
	values = spectrum.Unscale[float64](s.lambda, sigma)
	from := s.Y
	if err := s.Run(func(rec *vk.Recorder) { from = s.orient.Record(rec, s.X, s.Y) }); err != nil {
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
