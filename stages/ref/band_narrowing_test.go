package ref

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// narrowCases are the orders, widths and tiles of the tested bands. In the smallest bands a sweep
// has at most one step. In larger bands some sweeps end with a full step, and others end with a
// shorter step. In some cases the tile has the largest possible size, width − 2.
var narrowCases = []struct{ n, width, tile int }{
	{1, 4, 2}, {4, 4, 2}, {5, 4, 2}, {9, 4, 2}, {17, 5, 3}, {24, 8, 2}, {25, 8, 3}, {40, 7, 5}, {31, 16, 4}, {20, 30, 6},
}

// randomNarrowBand returns a random band of width b.Width.
func randomNarrowBand(b NarrowBand) []float64 {
	g := gauss(b.N*b.N, uint64(b.N+100*b.Width))
	band := make([]float64, b.Len())
	for i := range b.N {
		for j := i; j < min(b.N, i+b.Width+1); j++ {
			band[b.At(i, j)] = g[i+j*b.N]
		}
	}
	return band
}

// narrowValues returns the singular values of a band with w superdiagonals, computed by gonum. The
// test fails if an element outside the band is not zero.
func narrowValues(t *testing.T, b NarrowBand, w int, band []float64) []float64 {
	t.Helper()
	left, full := slices.Clone(band), mat.NewDense(b.N, b.N, nil)
	for i := range b.N {
		for j := i; j < min(b.N, i+w+1); j++ {
			full.Set(i, j, band[b.At(i, j)])
			left[b.At(i, j)] = 0
		}
	}
	for k, x := range left {
		if x != 0 {
			t.Fatalf("%+v, %d superdiagonals: element %d, outside of the band, is %g", b, w, k, x)
		}
	}
	var f mat.SVD
	if !f.Factorize(full, mat.SVDNone) {
		t.Fatal("gonum gave up")
	}
	return f.Values(nil)
}

// TestNarrowBand reduces bands by successive passes until no pass is possible. The singular values
// must not change, and the band must have the right width after each pass.
func TestNarrowBand(t *testing.T) {
	for _, c := range narrowCases {
		b := NarrowBand{c.n, c.width, c.tile}
		band := randomNarrowBand(b)
		want := narrowValues(t, b, c.width, band)
		for w := c.width; w-c.tile > 1; w -= c.tile {
			b.Pass(w, w-c.tile, band)
			for i, got := range narrowValues(t, b, w-c.tile, band) {
				if !(math.Abs(got-want[i]) <= 10*float64(c.n)*0x1p-52*want[0]) {
					t.Errorf("%+v, %d superdiagonals: value %d is %g, want %g", b, w-c.tile, i, got, want[i])
				}
			}
		}
	}
}

// TestNarrowBandWaves runs the half-steps of all sweeps in waves (sets of independent half-steps)
// and checks that the result has the same bits as one sweep after another. In at least one case,
// the bits must change if each sweep begins one wave earlier.
func TestNarrowBandWaves(t *testing.T) {
	early := false
	for _, c := range narrowCases {
		b := NarrowBand{c.n, c.width, c.tile}
		want, got, wrong := randomNarrowBand(b), randomNarrowBand(b), randomNarrowBand(b)
		b.Pass(c.width, c.width-c.tile, want)
		b.Waves(c.width, c.width-c.tile, got)
		b.waves(c.width, c.width-c.tile, narrowStride-1, wrong)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: waves give other bits", b)
		}
		early = early || !slices.Equal(wrong, want)
	}
	if !early {
		t.Error("a stride of one wave less gives the same bits")
	}
}
