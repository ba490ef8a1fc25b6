package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// scale searches the largest entry of the matrix A, and returns the power of two σ by which the
// device must multiply A. If an entry is NaN or infinite, the error is a *NonFiniteError.
func (p *path[T]) scale(a Sym[T]) (sigma float64, err error) {
	largest, err := scan(a)
	if e := exponent(largest); p.oneStage && largest > 0 && max(e, -e) > mostExponent[T]() {
		return oneStageScaling[T](e), err
	}
	return scaling[T](largest), err
}

// oneStageScaling returns σ = 2^-e, or the nearest power of two that a device can multiply with. A
// device may replace a subnormal factor by zero, and 2^1074 is not finite. Then the largest entry of
// σ·A is at most 4, or, of a matrix of subnormal doubles, at least 2^-51.
func oneStageScaling[T Float](e int) float64 {
	return min(max(math.Ldexp(1, -e), spectrum.SafeMinOf[T]()), 0x1p1023)
}

// mostExponent is the largest magnitude of a binary exponent for which a matrix is reduced in one
// stage without scaling. The exponent is that of the largest entry. With a larger magnitude the
// matrix is multiplied by a power of two first, because the reduction in one stage does not scale
// (see reduce.Tridiagonalisation).
func mostExponent[T Float]() int {
	if spectrum.UlpOf[T]() > spectrum.Ulp {
		return 8
	}
	return 300
}

// upload copies the triangle of A that is read to the device. It may run while commands are recorded, but
// not while commands are executed. An error names the phase.
func (p *path[T]) upload(ctx context.Context, dev *vk.Device, ws *vk.Arena, a Sym[T]) error {
	return a.upload(ctx, dev, p.regions.a.In(ws))
}

// upload copies the triangle that is read to device memory for all elements, without gaps between the
// columns. The other triangle gets undefined values there.
func (a Sym[T]) upload(ctx context.Context, dev *vk.Device, to vk.Slice[T]) error {
	host := vk.Columns[T]{Rows: a.N, Cols: a.N, Ld: a.Ld, Data: a.Data}
	return plan.During(stages.PhaseLoad, vk.UploadTriangle(ctx, dev, to, host, a.upper()))
}

// uploadTiny multiplies the matrix A by σ on the host and uploads the product to the device memory
// of A.
func (p *path[T]) uploadTiny(ctx context.Context, dev *vk.Device, ws *vk.Arena, a Sym[T], sigma float64) error {
	if !scaledOnHost[T](sigma) {
		return nil
	}
	scaled := make([]T, len(a.Data))
	for i, x := range a.Data {
		scaled[i] = T(float64(x) * sigma) // σ may be beyond the range of T
	}
	a.Data = scaled
	return p.upload(ctx, dev, ws, a)
}

// scaledOnHost reports whether the host multiplies A by σ. It does so for float32 if the entries
// are so small that subnormal numbers matter, because devices may replace subnormal numbers by
// zero. For matrices with larger entries the device multiplies: the lost subnormal numbers are less
// than an ulp of the norm.
func scaledOnHost[T Float](sigma float64) bool {
	return spectrum.UlpOf[T]() > spectrum.Ulp && sigma > 0x1p39
}

// recordLoad records a command for the device: it multiplies the upper or the lower triangle of A by
// σ and copies it to the other one. The old contents of the other triangle are not used.
func (p *path[T]) recordLoad(rec *vk.Recorder, ws *vk.Arena, upper bool, sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	if scaledOnHost[T](sigma) {
		sigma = 1
	}
	p.steps.load.Record(rec, p.matrixA(ws), upper, T(sigma))
}

// scan reads the triangle once, on all CPU cores. It returns max|a_ij|. If an entry is NaN or infinite,
// `scan` returns a *NonFiniteError for the first such entry in the order of the memory.
func scan[T Float](a Sym[T]) (float64, error) {
	largest, i, j := plan.Scan(a.Data, a.Ld, a.N, a.column)
	if i >= 0 {
		bad := &NonFiniteError{i, j, float64(a.Data[i+j*a.Ld])}
		if a.RowMajor {
			bad.Row, bad.Col = j, i
		}
		return 0, bad
	}
	return largest, nil
}

// scaling returns the factor σ for a matrix with max|a_ij| = `largest`, by the rule of LAPACK's
// dsyevd and ssyevd. If squares of entries would overflow or underflow, σ is a power of two, so
// that the product is exact. Otherwise σ is 1.
func scaling[T Float](largest float64) float64 {
	small := spectrum.SafeMinOf[T]() / spectrum.UlpOf[T]()
	least, most := math.Sqrt(small), math.Sqrt(1/small)
	switch {
	case largest == 0:
		return 1
	case largest < least:
		return math.Ldexp(1, exponent(least)-exponent(largest))
	case largest > most:
		return math.Ldexp(1, exponent(most)-exponent(largest)-1)
	}
	return 1
}

// exponent returns the number e in x = f·2^e with ½ ≤ |f| < 1.
func exponent(x float64) int {
	_, e := math.Frexp(x)
	return e
}
