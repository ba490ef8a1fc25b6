package main

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
	"github.com/vkevd/vkevd/evd"
)

func TestSums(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		a      []float64 // lower triangle of 2×2; NaN above must not be read
		values []float64
		good   bool
	}{
		{"right", []float64{2, 1, nan, 2}, []float64{1, 3}, true},
		{"right, huge", []float64{0x1p1023, 0x1p1022, nan, 0x1p1023}, []float64{0x1p1022, 0x1.8p1023}, true},
		{"right, tiny", []float64{0x1p-1069, 0x1p-1070, nan, 0x1p-1069}, []float64{0x1p-1070, 0x1.8p-1069}, true},
		{"right, smallest", []float64{0x1p-1074, 0, nan, 0}, []float64{0, 0x1p-1074}, true},
		// The eigenvalues are 2^-1074·(2 ± √2), so the rounded ones are 1 and 3 times this number.
		{"right, rounded to subnormal numbers", []float64{0x1p-1074, 0x1p-1074, nan, 0x1.8p-1073}, []float64{0x1p-1074, 0x1.8p-1073}, true},
		{"wrong, subnormal", []float64{0x1p-1060, 0, nan, 0x1p-1060}, []float64{0x1p-1060, 0x1.1p-1060}, false},
		{"zero", []float64{0, 0, nan, 0}, []float64{0, 0}, true},
		{"zero, not solved", []float64{0, 0, nan, 0}, []float64{0, 1e-300}, false},
		{"wrong trace", []float64{2, 1, nan, 2}, []float64{1, 3.000001}, false},
		{"right trace, wrong squares", []float64{2, 1, nan, 2}, []float64{1.5, 2.5}, false},
		{"one lost", []float64{2, 1, nan, 2}, []float64{1}, false},
		{"NaN", []float64{2, 1, nan, 2}, []float64{1, nan}, false},
		{"infinite", []float64{2, 1, nan, 2}, []float64{-inf, inf}, false},
	} {
		ms := report.Sums(evd.Sym[float64]{N: 2, Ld: 2, Data: c.a, Uplo: evd.Lower}, c.values, report.LeastNorm[float64]())
		if good := ms.Verdict() == nil; good != c.good {
			t.Errorf("%s: %+v, want good %v", c.name, ms, c.good)
		}
	}
}
