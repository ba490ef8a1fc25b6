package sturm

import (
	"math"
	"testing"
)

// TestGolubKahan finds the singular values of matrices with the diagonal blocks 1 and x·[1 1; 0 1],
// times a scale, with values of all magnitudes. Values below 2⁻⁹⁷⁰ times the largest element must
// be 0.
func TestGolubKahan(t *testing.T) {
	golden := (math.Sqrt(5) + 1) / 2 // the values of [1 1; 0 1] are this number and its reciprocal
	for _, scale := range []float64{1, -0x1p900, 0x1p-30} {
		for _, x := range []float64{1, 1e-30, 0x1p-500, 0x1p-700, 0x1p-950} {
			e := []float64{scale, 0, x * scale, x * scale, x * scale}
			m := NewGolubKahan(e)
			for k, want := range []float64{x / golden, x * golden, 1} {
				if want = want * math.Abs(scale); x == 1 {
					want = []float64{1 / golden, 1, golden}[k] * math.Abs(scale)
				}
				if got := m.Value(3 + k); !(math.Abs(got-want) <= 4*0x1p-52*want) {
					t.Errorf("scale %g, %g: value %d is %g, want %g", scale, x, k, got, want)
				}
			}
		}
	}
	zero := NewGolubKahan([]float64{1, 0, 0, 0, 0x1p-990})
	for k, want := range []float64{0, 0, 1} {
		if got := zero.Value(3 + k); !(math.Abs(got-want) <= 0x1p-52) {
			t.Errorf("zeros: value %d is %g, want %g", k, got, want)
		}
	}
	if got := NewGolubKahan(make([]float64, 3)).Value(3); got != 0 {
		t.Errorf("zero matrix: %g", got)
	}
}
