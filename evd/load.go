package evd

import (
	"context"
	"math"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// scale checks A and returns the power of two σ by which the device multiplies it. The error is a
// *NonFiniteError.
func scale[T Float](a Sym[T]) (sigma float64, err error) {
	largest, err := scan(a)
	return scaling(largest), err
}

// upload copies A to the device, both triangles as they are. It may run while commands are
// recorded, not while they execute. The error names the phase.
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
	workers := min(runtime.GOMAXPROCS(0), a.N)
	largest := make([]float64, workers)
	bad := make([]*NonFiniteError, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			// Every workers-th column: neighbours in a triangle have nearly the same length.
			for j := w; j < a.N && bad[w] == nil; j += workers {
				from, to := a.column(j)
				var at int
				if largest[w], at = scanColumn(a.Data[j*a.Ld+from:j*a.Ld+to], largest[w]); at >= 0 {
					bad[w] = &NonFiniteError{from + at, j, float64(a.Data[j*a.Ld+from+at])}
				}
			}
		})
	}
	wg.Wait()
	var first *NonFiniteError
	largestOfAll := 0.0
	for w := range workers {
		largestOfAll = max(largestOfAll, largest[w])
		if b := bad[w]; b != nil && (first == nil || b.Col < first.Col) {
			first = b
		}
	}
	if first != nil {
		return 0, first
	}
	return largestOfAll, nil
}

// scanColumn returns the largest magnitude of col and of largest, and −1; or else the index of the
// first value that is not finite.
func scanColumn[T Float](col []T, largest float64) (float64, int) {
	for i, v := range col {
		x := math.Abs(float64(v))
		if !(x <= math.MaxFloat64) {
			return largest, i
		}
		if x > largest {
			largest = x
		}
	}
	return largest, -1
}

// scaling returns σ for a matrix whose largest magnitude is largest. It is dsyevd's rule. If the
// largest entry is so small or so large that squares of entries would leave the exponent's range,
// the matrix is multiplied by a power of two, exactly; else by 1.
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

// exponent is e in x = f·2^e, ½ ≤ |f| < 1.
func exponent(x float64) int {
	_, e := math.Frexp(x)
	return e
}
