package dense

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Triangle is a symmetric or Hermitian matrix of order N, of which one triangle is read: the upper
// or the lower one of the memory Data, column by column with the leading dimension Ld. The
// imaginary parts of the diagonal may have any values.
type Triangle[T spirv.Scalar] struct {
	N, Ld int
	Data  []T
	Upper bool

	// RowMajor says that the matrix is stored by rows: element (i, j) of the memory is a_ji. Upper
	// then means the upper triangle of the memory, which is the lower one of the matrix.
	RowMajor bool
}

// NewTriangle returns the triangle of an evd.Sym with these fields. `upper` says that Sym.Uplo is
// evd.Upper. A row-major lower triangle is an upper one in memory. ld = 0 means n.
func NewTriangle[T spirv.Scalar](n, ld int, data []T, upper, rowMajor bool) Triangle[T] {
	if ld == 0 {
		ld = n
	}
	return Triangle[T]{N: n, Ld: ld, Data: data, Upper: upper != rowMajor, RowMajor: rowMajor}
}

// Form describes the triangle of the matrix, not that of the memory, for the stage that loads it.
func (a Triangle[T]) Form() move.Triangle {
	return move.Triangle{Upper: a.Upper != a.RowMajor, RowMajor: a.RowMajor}
}

// Conjugated says that the memory has the conjugates of the elements of the lower triangle. If not,
// it has those of the upper triangle.
func (a Triangle[T]) Conjugated() bool { return a.Upper != a.RowMajor }

// Column returns the rows of column j in memory that belong to the triangle: `from` ≤ i < `to`.
func (a Triangle[T]) Column(j int) (from, to int) {
	if a.Upper {
		return 0, j + 1
	}
	return j, a.N
}

// strictly is Column without the diagonal.
func (a Triangle[T]) strictly(j int) (from, to int) {
	if a.Upper {
		return 0, j
	}
	return j + 1, a.N
}

// NonFiniteError says that the element (Row, Col) of the matrix is NaN or infinite. It is Data[Row
// + Col·Ld], or Data[Row·Ld + Col] if RowMajor is true. evd.NonFiniteError has the same fields.
type NonFiniteError struct {
	Row, Col int
	Value    float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("element (%d, %d) is %v", e.Row, e.Col, e.Value)
}

// Largest reads the triangle once, on all CPU cores, and returns max|a_ij|, or for a complex matrix
// the largest magnitude of a real or imaginary part. If an entry is NaN or infinite, the error is a
// *NonFiniteError for the first such entry in the order of the memory.
func (a Triangle[T]) Largest() (float64, error) {
	largest, i, j := plan.ScanColumns(len(a.Data), a.N, a.scan)
	switch {
	case i < 0:
		return largest, nil
	case a.RowMajor:
		return 0, &NonFiniteError{j, i, plan.NotFinite(a.Data[i+j*a.Ld])}
	}
	return 0, &NonFiniteError{i, j, plan.NotFinite(a.Data[i+j*a.Ld])}
}

// scan does what plan.ScanNumbers does, for those elements of column j that belong to the triangle.
// It reads only the real part of the diagonal element.
func (a Triangle[T]) scan(j int, largest float64) (top float64, at int) {
	from, to := a.strictly(j)
	top, bad := plan.ScanColumn([]float64{a.Diagonal(j)}, largest)
	if bad >= 0 && !a.Upper {
		return top, j
	}
	if top, at = plan.ScanNumbers(a.Data[from+j*a.Ld:to+j*a.Ld], top); at >= 0 {
		return top, from + at
	}
	if bad >= 0 {
		return top, j
	}
	return top, -1
}

// Diagonal returns element (j, j), which is real: the imaginary part in memory may have any value.
func (a Triangle[T]) Diagonal(j int) float64 { return spectrum.Scale(a.Data[j+j*a.Ld:][:1], 1)[0] }

// magnitudes returns σ·|a_ij| for the rows of column j in the triangle, in the memory `room`.
func (a Triangle[T]) magnitudes(j int, sigma float64, room []float64) []float64 {
	from, to := a.Column(j)
	x := Magnitudes(a.Data[from+j*a.Ld:to+j*a.Ld], sigma, room)
	x[j-from] = math.Abs(a.Diagonal(j) * sigma)
	return x
}

// Magnitudes returns σ·|x| for the elements of v, in the memory `room`.
func Magnitudes[T spirv.Scalar](v []T, sigma float64, room []float64) []float64 {
	x := room[:len(v)]
	plan.Parts(v,
		func(parts []float32, each int) { moduli(x, parts, each, sigma) },
		func(parts []float64, each int) { moduli(x, parts, each, sigma) })
	return x
}

func moduli[T spirv.Real](to []float64, parts []T, each int, sigma float64) {
	for i := range to {
		x := float64(parts[each*i]) * sigma
		if each > 1 {
			y := float64(parts[each*i+1]) * sigma
			x = math.Sqrt(x*x + y*y)
		}
		to[i] = math.Abs(x)
	}
}

// Upload copies the triangle to device memory for all elements, without gaps between the columns.
// The other triangle gets undefined values there. Upload may run while commands are recorded, but
// not while commands are executed. An error names the phase.
func (a Triangle[T]) Upload(ctx context.Context, dev *vk.Device, to vk.Slice[T]) error {
	host := vk.Columns[T]{Rows: a.N, Cols: a.N, Ld: a.Ld, Data: a.Data}
	return plan.During(stages.PhaseLoad, vk.UploadTriangle(ctx, dev, to, host, a.Upper))
}

// UploadScaled uploads the matrix, or its product with σ if the device must not multiply by σ.
func (a Triangle[T]) UploadScaled(ctx context.Context, dev *vk.Device, to vk.Slice[T], sigma float64) error {
	if scaledOnHost[T](sigma) {
		return a.uploadTiny(ctx, dev, to, sigma)
	}
	return a.Upload(ctx, dev, to)
}

// uploadTiny multiplies the matrix by σ on the host, if the device must not, and uploads the
// product. Otherwise it does nothing.
func (a Triangle[T]) uploadTiny(ctx context.Context, dev *vk.Device, to vk.Slice[T], sigma float64) error {
	if !scaledOnHost[T](sigma) {
		return nil
	}
	a.Data = slices.Clone(a.Data)
	Multiply(a.Data, sigma)
	return a.Upload(ctx, dev, to)
}

// Multiply multiplies all numbers by a power of two.
func Multiply[T spirv.Scalar](v []T, by float64) {
	if by == 1 {
		return
	}
	plan.Parts(v,
		func(parts []float32, _ int) { multiply(parts, by) },
		func(parts []float64, _ int) { multiply(parts, by) })
}

// Conjugate replaces complex numbers by their conjugates, and leaves real numbers as they are.
func Conjugate[T spirv.Scalar](v []T) {
	plan.Parts(v,
		func(parts []float32, each int) { turn(parts, each) },
		func(parts []float64, each int) { turn(parts, each) })
}

func turn[T spirv.Real](parts []T, each int) {
	for i := 1; each == 2 && i < len(parts); i += 2 {
		parts[i] = -parts[i]
	}
}

func multiply[T spirv.Real](x []T, sigma float64) {
	for i := range x {
		x[i] = T(float64(x[i]) * sigma) // σ may be beyond the range of T
	}
}

// Norm1 returns the 1-norm of σ·A, the largest column sum of magnitudes. It reads only one triangle
// of the symmetric matrix A, so each off-diagonal entry adds to the sums of two columns. If an
// entry is NaN, the result is NaN. The result does not depend on the number of CPU cores.
func (a Triangle[T]) Norm1(sigma float64) float64 {
	parts := min(32, 1+a.N/256)
	sums := make([][]float64, parts) // sums[p] is what the columns p, p + parts, … contribute
	tridiag.Parallel(parts, func(p int) {
		s, room := make([]float64, a.N), make([]float64, a.N)
		for j := p; j < a.N; j += parts {
			from, _ := a.Column(j)
			for k, x := range a.magnitudes(j, sigma, room) {
				s[from+k] += x
				if from+k != j {
					s[j] += x
				}
			}
		}
		sums[p] = s
	})
	for _, s := range sums[1:] {
		for i, x := range s {
			sums[0][i] += x
		}
	}
	return plan.Largest(sums[0])
}

// Invariants returns the larger of |tr(σA) − tr(T)| and |‖σA‖F − ‖T‖F|, divided by n·ulp·‖σA‖F. An
// orthogonal similarity changes neither the trace nor the norm.
func (a Triangle[T]) Invariants(sigma float64, t spectrum.Tridiagonal) float64 {
	var traceA, traceT, squaresA, squaresT float64
	room := make([]float64, a.N)
	for j := range a.N {
		from, _ := a.Column(j)
		traceA += a.Diagonal(j) * sigma
		column := 0.0 // a sum of its own, so that the rounding error does not grow with n²
		for k, x := range a.magnitudes(j, sigma, room) {
			if from+k == j {
				x /= math.Sqrt2
			}
			column += x * x
		}
		squaresA += 2 * column
	}
	for i, x := range t.D {
		traceT += x
		squaresT += x * x
		if i < len(t.E) {
			squaresT += 2 * t.E[i] * t.E[i]
		}
	}
	norm, unit := math.Sqrt(squaresA), float64(a.N)*precision.UlpOf[T]()
	return plan.Ratio([]float64{math.Abs(traceA - traceT), math.Abs(norm - math.Sqrt(squaresT))}, norm, unit)
}

// Scale searches the largest entry of the matrix A, and returns the power of two σ by which A must
// be multiplied. If an entry is NaN or infinite, the error is a *NonFiniteError.
func (c *Common[T]) Scale(a Triangle[T]) (sigma float64, err error) {
	largest, err := a.Largest()
	if c.Pencil != 0 {
		return pairScaling[T](largest), err
	}
	if spirv.KindOf[T]().IsComplex() { // the largest part; the modulus may be √2 times as large
		largest = min(math.Sqrt2*largest, math.MaxFloat64)
	}
	if e := Exponent(largest); c.OneStage && largest > 0 && max(e, -e) > mostExponent[T]() {
		return oneStageScaling[T](e), err
	}
	return Scaling[T](largest), err
}

// oneStageScaling returns σ = 2^-e, or the nearest power of two that a device can multiply with. A
// device may replace a subnormal factor by zero, and 2^1074 is not finite. With this σ, the largest
// entry of σ·A is at most 4. For a matrix of subnormal doubles it is at least 2^-51.
func oneStageScaling[T spirv.Scalar](e int) float64 {
	return min(max(math.Ldexp(1, -e), precision.SafeMinOf[T]()), 0x1p1023)
}

// mostExponent is the largest magnitude of a binary exponent for which a matrix is reduced in one
// stage without scaling. The exponent is that of the largest entry. With a larger magnitude the
// matrix is multiplied by a power of two first, because the reduction in one stage does not scale
// (see reduce.Tridiagonalisation).
func mostExponent[T spirv.Scalar]() int {
	if precision.IsDouble[T]() {
		return 300
	}
	return 8
}

// scaledOnHost reports whether the host multiplies A by σ. It does so if the entries are so small
// that subnormal numbers matter, because devices may replace subnormal numbers by zero. For
// matrices with larger entries the device multiplies: each lost subnormal number is less than 2^-10
// ulps of the largest entry.
func scaledOnHost[T spirv.Scalar](sigma float64) bool {
	return sigma*least[T]() > 0x1p-12
}

// OnDevice returns the factor by which the device multiplies A: σ, or 1 if the host has multiplied.
func OnDevice[T spirv.Scalar](sigma float64) float64 {
	if scaledOnHost[T](sigma) {
		return 1
	}
	return sigma
}

// Scaling returns the factor σ for a matrix with max|a_ij| = `largest`, by the rule of LAPACK's
// dsyevd and ssyevd. If squares of entries would overflow or underflow, σ is a power of two, so
// that the product is exact. Otherwise σ is 1.
func Scaling[T spirv.Scalar](largest float64) float64 {
	least, most := least[T](), 1/least[T]()
	switch {
	case largest == 0:
		return 1
	case largest < least:
		return math.Ldexp(1, Exponent(least)-Exponent(largest))
	case largest > most:
		return math.Ldexp(1, Exponent(most)-Exponent(largest)-1)
	}
	return 1
}

// least returns the limit √(safe minimum/ulp): a matrix is scaled if max|a_ij| is below `least` or
// above 1/least.
func least[T spirv.Scalar]() float64 {
	return math.Sqrt(precision.SafeMinOf[T]() / precision.UlpOf[T]())
}

// Exponent returns the number e in x = f·2^e with ½ ≤ |f| < 1.
func Exponent(x float64) int {
	_, e := math.Frexp(x)
	return e
}
