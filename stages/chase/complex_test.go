package chase

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// complexChased is the result of a bulge chasing of a Hermitian band, in double precision.
type complexChased struct{ band, d, e, v, tau []complex128 }

func (c complexChased) bits() (all []uint64) {
	for _, z := range slices.Concat(c.band, c.d, c.e, c.v, c.tau) {
		all = append(all, math.Float64bits(real(z)), math.Float64bits(imag(z)))
	}
	return all
}

// ulps returns the unit roundoff of T divided by that of double precision.
func ulps[T stagetest.Complex]() float64 {
	return stagetest.EpsilonOf[T]() / stagetest.EpsilonOf[complex128]()
}

// hermitianBand returns a random compact band of numbers that complex64 holds exactly.
func hermitianBand(n, b int) []complex128 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]complex128, 2*b*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[2*b*c+i] = stagetest.RandomComplex(r)
		}
		band[2*b*c] = complex(real(band[2*b*c]), 0)
	}
	return band
}

// chaseComplex runs the bulge chasing in memory filled with NaN. It first sets the imaginary parts
// of the diagonal to NaN.
func chaseComplex[T stagetest.Complex](t *testing.T, n, b int, tune ChaseTable, band []complex128) (c complexChased) {
	t.Helper()
	dev := stagetest.Device(t)
	stage, err := NewBulgeChasing[T](dev, Size{n, b, true}, tune.Waiting(t, dev), tune.Tuning)
	if err != nil {
		t.Fatal(err)
	}
	lv, lt := stages.ReflectorLen(n, b)
	region := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	at, d, e, v, tau := region("band", 2*b*n), region("d", n), region("e", max(0, n-1)), region("v", lv), region("tau", lt)
	ws := stagetest.Arena(t, dev, vk.Together(stage.Work(), at, d, e, v, tau))
	rec := vk.NewRecorder(dev)
	ws.Poison(rec)
	stagetest.Run(t, dev, rec)
	band = slices.Clone(band)
	for i := 0; i < len(band); i += 2 * b {
		band[i] = complex(real(band[i]), math.NaN())
	}
	stagetest.Put(t, dev, at.In(ws), stagetest.ComplexOf[T](band))
	rec = vk.NewRecorder(dev)
	stage.Record(rec, ws, at.In(ws), stages.Tridiagonal[T]{D: d.In(ws), E: e.In(ws)}, stages.Reflectors[T]{V: v.In(ws), Tau: tau.In(ws)})
	stagetest.Run(t, dev, rec)
	if info := stage.Info(ws); info.Len() > 0 {
		if got := stagetest.Get(t, dev, info); got[0] != 0 {
			t.Fatalf("INFO = %d", got[0])
		}
	}
	get := func(r vk.Region[T]) []complex128 {
		return stagetest.ComplexOf[complex128](stagetest.Get(t, dev, r.In(ws)))
	}
	return complexChased{get(at), get(d), get(e), get(v), get(tau)}
}

// checkComplexChased checks B = Q2·T·Q2ᴴ, where `band` is B, and returns the errors ‖B·Q2 − Q2·T‖
// and ‖Q2ᴴ·Q2 − I‖ in the units of LAPACK's ratios, with the ulp of double precision. T must be
// real except for its last off-diagonal element.
func checkComplexChased(t *testing.T, n, b int, band []complex128, got complexChased) (similarity, orthogonality float64) {
	t.Helper()
	reals := slices.Clone(got.d)
	if b > 1 {
		reals = append(reals, got.e[:max(0, len(got.e)-1)]...)
	}
	for i, z := range reals {
		if imag(z) != 0 {
			t.Fatalf("n=%d b=%d: element %d of T is %v", n, b, i, z)
		}
	}
	for i, z := range got.band {
		row, c := i%(2*b), i/(2*b)
		if row == 0 && (c == 0 || b == 1 || n < 3) {
			z = complex(real(z), 0) // not stored by the kernel, so the imaginary part is still NaN
		}
		if row > 1 && z != 0 || row == 1 && c+1 < n && z != got.e[c] || row == 0 && z != got.d[c] {
			t.Fatalf("n=%d b=%d: (%d, %d) of the band is %v", n, b, c+row, c, z)
		}
	}
	q := make([]complex128, n*n)
	for i := range n {
		q[i+i*n] = 1
	}
	if b > 1 {
		ref.ApplyQ2(n, b, got.v, got.tau, n, q, n)
	}
	a := make([]complex128, n*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			a[c+i+c*n], a[c+(c+i)*n] = band[2*b*c+i], cmplx.Conj(band[2*b*c+i])
		}
	}
	var norm, worst float64
	for j := range n {
		var sum, column float64
		for i := range n {
			column += cmplx.Abs(a[i+j*n])
			r := -q[i+j*n] * got.d[j]
			if j > 0 {
				r -= q[i+(j-1)*n] * cmplx.Conj(got.e[j-1])
			}
			if j < n-1 {
				r -= q[i+(j+1)*n] * got.e[j]
			}
			for k := range n {
				r += a[i+k*n] * q[k+j*n]
			}
			sum += cmplx.Abs(r)
		}
		norm = max(norm, column)
		if worst = max(worst, sum); math.IsNaN(sum) {
			worst = math.Inf(1)
		}
	}
	if norm != 0 {
		similarity = worst / (norm * float64(n) * ratio.Ulp)
	}
	return similarity, ratio.Orthogonality(n, n, q, n)
}

// TestComplexBulgeChasing checks the bulge chasing of Hermitian bands. Among them are real bands,
// bands whose off-diagonal elements are imaginary, zero bands, and bands that are tridiagonal
// already but not real. All forms of the kernel must give the same bits.
func TestComplexBulgeChasing(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexBulgeChasing[complex128], testComplexBulgeChasing[complex64])
}

func testComplexBulgeChasing[T stagetest.Complex](t *testing.T) {
	kinds := map[string]func(c, i int, z complex128) complex128{
		"random": func(_, _ int, z complex128) complex128 { return z },
		"real":   func(_, _ int, z complex128) complex128 { return complex(real(z), 0) },
		"imaginary": func(_, i int, z complex128) complex128 {
			if i == 0 {
				return 0
			}
			return complex(0, imag(z))
		},
		"tridiagonal": func(_, i int, z complex128) complex128 {
			if i > 1 {
				return 0
			}
			return z
		},
		"zero": func(int, int, complex128) complex128 { return 0 },
	}
	var worst [2]float64
	for _, b := range []int{1, 2, 3, 4, 8} {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 9, 14, 23, 33} {
			for name, kind := range kinds {
				if name != "random" && b != 4 {
					continue // saves time
				}
				band := hermitianBand(n, b)
				for i := range band {
					band[i] = kind(i/(2*b), i%(2*b), band[i])
				}
				var first complexChased
				for i, form := range oneTeam {
					tune := SmallestTuning().Chase
					form.change(&tune)
					if i > 0 && (b != 4 || name != "random") {
						continue // saves time
					}
					got := chaseComplex[T](t, n, b, tune, band)
					if i > 0 {
						if !slices.Equal(got.bits(), first.bits()) {
							t.Errorf("n=%d b=%d: %s gives other bits", n, b, form.name)
						}
						continue
					}
					first = got
					similar, orthogonal := checkComplexChased(t, n, b, band, got)
					similar, orthogonal = similar/ulps[T](), orthogonal/ulps[T]()
					worst[0], worst[1] = max(worst[0], similar), max(worst[1], orthogonal)
					if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
						t.Errorf("%s n=%d b=%d, %s: B − Q2·T·Q2ᴴ %.3g, QᴴQ − I %.3g", name, n, b, form.name, similar, orthogonal)
					}
				}
			}
		}
	}
	t.Logf("worst: B − Q2·T·Q2ᴴ %.3g, QᴴQ − I %.3g", worst[0], worst[1])
}

// TestComplexBulgeChasingTwin compares T and the reflectors with those of package ref, element by
// element, as TestBulgeChasingTwin does for real numbers.
func TestComplexBulgeChasingTwin(t *testing.T) {
	stagetest.EachComplex(t, testComplexBulgeChasingTwin[complex128], testComplexBulgeChasingTwin[complex64])
}

func testComplexBulgeChasingTwin[T stagetest.Complex](t *testing.T) {
	const n, b = 23, 4
	band := hermitianBand(n, b)
	for c := range n {
		band[2*b*c] += 20
	}
	got := chaseComplex[T](t, n, b, SmallestTuning().Chase, band)
	d, e, v, tau := ref.BulgeChasing(n, b, slices.Clone(band))
	if imag(e[n-2]) == 0 {
		t.Error("the last element of e is real in the twin")
	}
	for name, pair := range map[string][2][]complex128{"d": {got.d, d}, "e": {got.e, e}, "v": {got.v, v}, "τ": {got.tau, tau}} {
		for i := range pair[1] {
			if diff := cmplx.Abs(pair[0][i] - pair[1][i]); !(diff < 0x1p-36*ulps[T]()) {
				t.Fatalf("%s[%d] = %v, the twin says %v", name, i, pair[0][i], pair[1][i])
			}
		}
	}
}

// TestComplexBulgeChasingWide checks the sizes that GPUs use. An invocation has half as many
// elements of a row or column as it has for real numbers.
func TestComplexBulgeChasingWide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n, b = 70, 32
	tune := tuningFor("nvidia").Chase
	info := vk.Info{Name: "nvidia", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	shape := chaseShape{b, true, info, stages.Waiting{Allowed: true}, tune.Tuning}
	numbers, err := chaseSpec[complex128](shape)
	if err != nil {
		t.Fatal(err)
	}
	if reals, err := chaseSpec[float64](shape); err != nil || numbers.Lanes != 2*reals.Lanes || numbers.Tiles != 2 {
		t.Errorf("complex %+v, real %+v, %v", numbers, reals, err)
	}
	tune.Groups = 3
	band := hermitianBand(n, b)
	similar, orthogonal := checkComplexChased(t, n, b, band, chaseComplex[complex128](t, n, b, tune, band))
	if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
		t.Errorf("B − Q2·T·Q2ᴴ %.3g, QᴴQ − I %.3g", similar, orthogonal)
	}
}
