package dense

import (
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Solve is the state of one solve on one device.
type Solve[T spirv.Scalar] struct {
	// Stages are the stages, and say where in the call's device memory their data are.
	*Stages[T]

	// Call runs the recordings of the solve. It has the device and the memory.
	*plan.Call

	// The field Second is the power of two by which the values of a generalized problem are
	// multiplied in addition to σ, because B is scaled, too. 0 means 1.
	Second float64
}

// Scale is Common.Scale, with one exception. If the product of σ and Second would be larger than
// 2¹⁰²³, the largest power of two, then σ is divided by a power of two, which is at most 2¹¹⁰.
func (s *Solve[T]) Scale(a Triangle[T]) (sigma float64, err error) {
	const most, digits = 1023, 110
	sigma, err = s.Common.Scale(a)
	if excess := Exponent(sigma) + Exponent(max(s.Second, 1)) - 2 - most; excess > 0 {
		sigma = math.Ldexp(sigma, -min(excess, digits))
	}
	return sigma, err
}

// Reduce reduces A to the band B and to the tridiagonal matrix T, and returns the scale σ. It calls
// the function `meanwhile` before the device executes the commands. T stays on the device, and
// Reduce returns the host's copy.
func (s *Solve[T]) Reduce(a Triangle[T], meanwhile func()) (host spectrum.Tridiagonal, sigma float64, err error) {
	var received func() spectrum.Tridiagonal
	record := func(rec *vk.Recorder, sigma float64) { received = s.RecordReduction(rec, a, sigma) }
	if sigma, err = s.loaded(a, s.MatrixA().At, s.Scale, record, meanwhile); err == nil {
		host = received()
	}
	return host, sigma, err
}

// loaded uploads the matrix A and executes the commands that `record` records for a factor σ, which
// `scale` chooses. Other goroutines scan A and record the commands while A is uploaded. If A is not
// finite or the upload fails, no command is executed, and `meanwhile` is not called.
func (s *Solve[T]) loaded(
	a Triangle[T], to vk.Slice[T], scale func(Triangle[T]) (float64, error), record func(rec *vk.Recorder, sigma float64), meanwhile func(),
) (sigma float64, err error) {
	recorded, scanned := make(chan *vk.Recorder), make(chan struct{})
	var refused error
	recording := func(by float64) *vk.Recorder {
		return s.Record(func(rec *vk.Recorder) { record(rec, by) })
	}
	go func() {
		sigma, refused = scale(a)
		close(scanned)
	}()
	go func() {
		rec := recording(1) // nearly every matrix has σ = 1
		if <-scanned; refused == nil && sigma != 1 {
			rec = recording(sigma)
		}
		recorded <- rec
	}()
	err = a.Upload(s.Ctx, s.Dev, to)
	rec := <-recorded
	switch {
	case refused != nil:
		return sigma, refused
	case err == nil:
		err = a.uploadTiny(s.Ctx, s.Dev, to, sigma)
	}
	if err == nil {
		meanwhile()
		err = s.Execute(rec)
	}
	return sigma, err
}

// recordLoad records that the stored triangle of a matrix, which has been uploaded, is multiplied
// by σ and copied to the other one.
func (s *Solve[T]) recordLoad(rec *vk.Recorder, to product.Matrix[T], a Triangle[T], sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	s.load.Record(rec, to, a.Form(), OnDevice[T](sigma))
}

func (s *Solve[T]) MatrixA() product.Matrix[T] { return s.matrixA(s.Arena) }

// RecordReduction records the stages that reduce A to tridiagonal form. First the stored triangle
// of A is multiplied by σ and copied to the other one, whose old contents are not used. In a
// generalized problem, A is then replaced by the matrix of the standard problem. Each stage has a
// status, its INFO word, which is 0 for success. Each INFO word is copied before a later stage may
// overwrite it. The result returns the tridiagonal matrix on the host after the recording has run.
func (s *Solve[T]) RecordReduction(rec *vk.Recorder, a Triangle[T], sigma float64) func() spectrum.Tridiagonal {
	ws := s.Arena
	s.Products.Begin(rec, ws)
	s.recordLoad(rec, s.MatrixA(), a, sigma)
	if s.pair != nil {
		s.pair.recordForm(rec, ws, s.load, s.MatrixA())
	}
	rec.Phase(s.Phase(), 0, 1)
	s.Reduction.Record(rec, ws, s.MatrixA(), s.band.In(ws), s.reflectors.T.In(ws))
	s.Info(rec, stages.CauseMeet, s.Phase(), s.Reduction.Info(ws))
	s.Products.Refused(s.Call, rec, ws)
	return s.RecordChase(s.Call, rec, s.band, s.reflectors.Q2Memory)
}

// Downloads says how the eigenvectors of the matrix are copied to the host, to the memory that
// `into` returns for m vectors, or to new memory if `into` is nil. The list is empty without
// vectors.
func (s *Solve[T]) Downloads(into func(m int) vk.Columns[T]) []spectrum.Vectors[T] {
	if !s.Vectors {
		return nil
	}
	return []spectrum.Vectors[T]{{Rows: s.N, RowMajor: s.RowMajor, Into: into, Back: s.TransformBack}}
}

// TransformBack computes the eigenvectors Q of A from the vectors S of the tridiagonal matrix. It
// returns the matrix to download: Q, or Qᵀ for row-major vectors.
func (s *Solve[T]) TransformBack(vectors product.Matrix[float64]) (q product.Matrix[T], err error) {
	if vectors.Rows == 0 {
		return s.Back.To(s.Arena, vectors), nil
	}
	if err := s.Doubles.Upload(s.Call, s.Spectrum); err != nil {
		return q, err
	}
	return s.Back.Transform(s.Call, func(*vk.Recorder) {}, vectors)
}

// Certify does two checks. It compares the values of the part p of the spectrum with the
// tridiagonal matrix T by Sturm counts (spectrum.Stage.Certify). And it compares T with the scaled
// input matrix σ·A by the trace and the norm (Triangle.Invariants); for a generalized problem,
// where T has other invariants than A, this number is 0. T must still be on the device of the call.
func (l *Lead[T]) Certify(c *plan.Call, a Triangle[T], sigma float64, p spectrum.Part) (counts, invariants float64, err error) {
	var received func() spectrum.Tridiagonal
	if err := c.Run(func(rec *vk.Recorder) { received = l.Doubles.Receive(rec, c.Arena, l.Spectrum) }); err != nil {
		return 0, 0, plan.During(stages.PhaseCounts, err)
	}
	t := received()
	if len(p.Values) > 0 {
		norm := max(t.Norm1(), precision.SafeMinOf[T]()*sigma)
		counts, err = l.Spectrum.Certify(c, p.Values, p.First, norm, precision.UlpOf[T]())
	}
	if l.Pencil == 0 {
		invariants = a.Invariants(sigma, t)
	}
	return counts, invariants, err
}

// ColumnSums measures eigenpairs: the values Λ, and the vectors Z. The results are the column sums
// of |σ·A·Z − Z·σ·Λ|, those of |ZᴴZ − I|, and σ. σ is the factor that Scale returns. Without σ, the
// sums of very large or very small matrices would overflow or underflow. The ratio of the residual
// does not depend on σ.
//
// ColumnSums uploads Z and A to device memory that a solve uses for vectors and for A. No later
// call needs the data that were in this memory.
func (s *Solve[T]) ColumnSums(a Triangle[T], values []float64, vectors Stored[T]) (sums [2][]float64, sigma float64, err error) {
	if sigma, err = s.Scale(a); err != nil {
		return sums, 0, err
	}
	m, t, ws := len(values), s.Spectrum, s.Arena
	z := s.Doubles.Eigenvectors(ws, t.Matrix(ws, s.N, m, s.N))
	// Vectors are uploaded before A, because row-major ones need the memory of A as workspace.
	to := s.MatrixA().At
	if err := s.Back.orient.Restore(s.Ctx, s.Dev, vectors, to, z); err != nil {
		return sums, sigma, err
	}
	if err := a.UploadScaled(s.Ctx, s.Dev, to, sigma); err != nil {
		return sums, sigma, err
	}
	lambda := spectrum.Scale(values, sigma)
	rec := vk.NewRecorder(s.Dev)
	rec.Phase(stages.PhaseCheck, 0, s.residuals.Flops())
	at := s.Doubles.Values(rec, ws, t.Lambda(ws), lambda)
	s.recordLoad(rec, s.MatrixA(), a, sigma)
	s.RecordCheck(rec, ws, z, at)
	var found [2][]T
	for i := range found {
		found[i] = make([]T, m)
		vk.ReceiveLast(rec, found[i], s.sums[i].In(ws))
	}
	_, err = s.Dev.Run(s.Ctx, rec, nil)
	for i := range sums {
		sums[i] = spectrum.Scale(found[i], 1)
	}
	return sums, sigma, err
}

// RecordCheck records the computation of the column sums that ColumnSums returns, for the matrix A,
// the vectors z and the values `lambda` on the device.
func (s *Stages[T]) RecordCheck(rec *vk.Recorder, ws *vk.Arena, z product.Matrix[T], lambda vk.Slice[T]) {
	s.residuals.Record(rec, ws, s.matrixA(ws), z,
		residual.Sums[T]{Lambda: lambda, Residual: s.sums[0].In(ws), Orthogonality: s.sums[1].In(ws)})
}
