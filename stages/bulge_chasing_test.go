package stages

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
)

func TestBulgeChasing(t *testing.T) {
	var worst [2]float64
	for _, b := range []int{1, 2, 3, 4, 5, 8} {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16, 17, 23, 50} {
			band := randomBand(n, b)
			var first chased
			for i, form := range []struct {
				name           string
				oneTile, waves bool
			}{{"flags", false, false}, {"waves", false, true}, {"flags, one tile", true, false}, {"waves, one tile", true, true}} {
				if (form.oneTile && b != 3 && b != 4) || (b == 5 && form.waves) {
					continue // time
				}
				tune := smallestChase()
				tune.OneTile, tune.Wavefront = form.oneTile, form.waves
				got := newChaseBench(t, n, b, true, tune).run(band, nil)
				if i == 0 {
					first = got
					similar, orthogonal := checkChased(t, n, b, band, got)
					worst[0], worst[1] = max(worst[0], similar), max(worst[1], orthogonal)
					if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
						t.Errorf("n=%d b=%d: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, similar, orthogonal)
					}
				} else if !got.same(first) {
					t.Errorf("n=%d b=%d: %s gives other bits", n, b, form.name)
				}
			}
		}
	}
	t.Logf("worst: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", worst[0], worst[1])
}

// TestBulgeChasingWide: bands as wide as on GPUs, the wider in one tile for lack of memory.
func TestBulgeChasingWide(t *testing.T) {
	for _, shape := range [][2]int{{100, 32}, {130, 48}, {40, 48}} {
		n, b := shape[0], shape[1]
		band := randomBand(n, b)
		tune := chaseTuning("nvidia")
		tune.Groups = 3
		got := newChaseBench(t, n, b, true, tune).run(band, nil)
		similar, orthogonal := checkChased(t, n, b, band, got)
		if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
			t.Errorf("n=%d b=%d: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", n, b, similar, orthogonal)
		}
	}
}

// TestBulgeChasingTwin: the kernel and ref choose the same signs, so on a tame
// matrix T itself agrees.
func TestBulgeChasingTwin(t *testing.T) {
	n, b := 23, 4
	band := randomBand(n, b)
	for c := range n {
		band[2*b*c] += 20
	}
	got := newChaseBench(t, n, b, true, smallestChase()).run(band, nil)
	d, e, v, tau := ref.BulgeChasing(n, b, slices.Clone(band))
	for name, pair := range map[string][2][]float64{"d": {got.d, d}, "e": {got.e, e}, "v": {got.v, v}, "τ": {got.tau, tau}} {
		for i := range pair[1] {
			if diff := math.Abs(pair[0][i] - pair[1][i]); !(diff < 1e-10) {
				t.Fatalf("%s[%d] = %g, the twin says %g", name, i, pair[0][i], pair[1][i])
			}
		}
	}
}

// TestBulgeChasingScales: entries near the ends of the exponent range, and tails that are zero.
func TestBulgeChasingScales(t *testing.T) {
	n, b := 17, 4
	bench := newChaseBench(t, n, b, true, smallestChase())
	for name, change := range map[string]func(c, i int, x float64) float64{
		"1e300":    func(_, _ int, x float64) float64 { return x * 1e300 },
		"1e-300":   func(_, _ int, x float64) float64 { return x * 1e-300 },
		"denormal": func(_, _ int, x float64) float64 { return x * 0x1p-1060 },
		"zero":     func(_, _ int, _ float64) float64 { return 0 },
		"diagonal": func(_, i int, x float64) float64 {
			if i > 0 {
				return 0
			}
			return x
		},
		"tridiagonal": func(_, i int, x float64) float64 {
			if i > 1 {
				return 0
			}
			return x
		},
		"light tails": func(_, i int, x float64) float64 {
			if i > 1 {
				return x * 1e-300
			}
			return x * 1e300
		},
		"graded": func(c, _ int, x float64) float64 { return x * math.Pow(10, float64(-30*c)) },
		"blocks": func(c, i int, x float64) float64 {
			if c%5+i >= 5 {
				return 0
			}
			return x
		},
	} {
		band := randomBand(n, b)
		for c := range n {
			for i := range b + 1 {
				band[2*b*c+i] = change(c, i, band[2*b*c+i])
			}
		}
		got := bench.run(band, nil)
		// checkChased divides by the norm, which must not vanish.
		power := 0
		if top := slices.Max(band); top > 0 {
			_, power = math.Frexp(top)
		}
		scale := func(x []float64) []float64 {
			y := make([]float64, len(x))
			for i := range x {
				y[i] = math.Ldexp(x[i], -power)
			}
			return y
		}
		d, e, room := scale(got.d), scale(got.e), scale(got.band)
		similar, orthogonal := checkChased(t, n, b, scale(band), chased{room, d, e, got.v, got.tau})
		if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
			if name != "denormal" || !(similar < 1e20) {
				t.Errorf("%s: B − Q2·T·Q2ᵀ %.3g, QᵀQ − I %.3g", name, similar, orthogonal)
			}
		}
	}
}

// TestBulgeChasingValues: without vectors d and e are the same, and V and Tau are left alone.
func TestBulgeChasingValues(t *testing.T) {
	n, b := 23, 4
	band := randomBand(n, b)
	want := newChaseBench(t, n, b, true, smallestChase()).run(band, nil)
	got := newChaseBench(t, n, b, false, smallestChase()).run(band, nil)
	if !sameBits(got.d, want.d) || !sameBits(got.e, want.e) {
		t.Error("other values without vectors")
	}
	for _, x := range slices.Concat(got.v, got.tau) {
		if !math.IsNaN(x) {
			t.Fatal("V or Tau was written without vectors")
		}
	}
}
