package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// scale checks A and returns the power of two σ by which the device multiplies it. The error is a
// *NonFiniteError.
func (p *path[T]) scale(a Sym[T]) (sigma float64, err error) {
	largest, err := scan(a)
	if _, e := math.Frexp(largest); p.oneStage && largest > 0 && max(e, -e) > mostExponent {
		return math.Ldexp(1, -e), err
	}
	return scaling(largest), err
}

// mostExponent bounds the exponent of the largest entry of a matrix that is reduced in one stage:
// that stage does not scale.
const mostExponent = 300

// upload copies A to the device, with both triangles unchanged. It may run while commands are
// recorded, but not while they execute. The error names the phase.
func (p *path[T]) upload(ctx context.Context, dev *vk.Device, ws *vk.Arena, a Sym[T]) error {
	host := vk.Columns[T]{Rows: a.N, Cols: a.N, Ld: a.Ld, Data: a.Data}
	return spectrum.During(stages.PhaseLoad, vk.Upload(ctx, dev, p.regions.a.In(ws), host))
}

// recordLoad records that the device multiplies the triangle uplo of A by σ and copies it to the
// other triangle. What the other triangle held before is not read.
func (p *path[T]) recordLoad(rec *vk.Recorder, ws *vk.Arena, uplo Uplo, sigma float64) {
	rec.Phase(stages.PhaseLoad, 0, 1)
	p.steps.load.Record(rec, p.matrixA(ws), bool(uplo), T(sigma))
}

// scan reads the referenced triangle once, with all cores. It returns max|a_ij|, or a
// *NonFiniteError for the first entry, in column order, that is NaN or infinite.
func scan[T Float](a Sym[T]) (float64, error) {
	largest, i, j := spectrum.Scan(a.Data, a.Ld, a.N, a.column)
	if i >= 0 {
		return 0, &NonFiniteError{i, j, float64(a.Data[i+j*a.Ld])}
	}
	return largest, nil
}

// scaling returns the factor σ for a matrix whose largest magnitude is largest, by the rule of
// dsyevd. If squares of the largest entry would overflow or underflow, σ is a power of two, so that
// the product is exact. Otherwise σ is 1.
func scaling(largest float64) float64 {
	const small = spectrum.SafeMin / spectrum.Ulp
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

// exponent is the number e in x = f·2^e, ½ ≤ |f| < 1.
func exponent(x float64) int {
	_, e := math.Frexp(x)
	return e
}
