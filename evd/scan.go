package evd

import (
	"math"
	"runtime"
	"sync"
)

// scan reads the referenced triangle once: it returns max|a_ij|, or a
// *NonFiniteError for the first entry, in column order, that is NaN or infinite.
func scan[T Float](a Sym[T]) (float64, error) {
	workers := min(runtime.GOMAXPROCS(0), a.N)
	largest := make([]float64, workers)
	bad := make([]*NonFiniteError, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			// Strided columns: in a triangle neighbours have like lengths.
			for j := w; j < a.N && bad[w] == nil; j += workers {
				from, to := a.column(j)
				var at int
				if largest[w], at = scanColumn(a.Data[j*a.Ld+from:j*a.Ld+to], largest[w]); at >= 0 {
					bad[w] = &NonFiniteError{from + at, j, float64(a.Data[j*a.Ld+from+at])}
				}
			}
		}()
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

// scanColumn returns the largest magnitude so far and −1, or the index of the
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

// scaling is dsyevd's rule: a matrix whose largest entry is so small or large
// that squares of its entries would leave the exponent's range is
// multiplied by a power of two, exactly; other matrices are left alone (1).
func scaling(largest float64) float64 {
	const small = safeMin / ulp
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
