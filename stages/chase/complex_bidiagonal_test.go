package chase

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// complexUpperBand returns a random general compact band of numbers that complex64 holds exactly,
// with a real first element, as a reduction to a band leaves it.
func complexUpperBand(n, b int) []complex128 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]complex128, ref.BidiagonalBandLen(n, b))
	for i := range n {
		for j := i; j < min(n, i+b+1); j++ {
			band[ref.BidiagonalBandAt(b, i, j)] = stagetest.RandomComplex(r)
		}
	}
	if n > 0 {
		first := &band[ref.BidiagonalBandAt(b, 0, 0)]
		*first = complex(real(*first), 0)
	}
	return band
}

// complexBidiagonal converts a result to double precision.
func complexBidiagonal[T stagetest.Complex](c bidiagonalChased[T]) bidiagonalChased[complex128] {
	of := func(x []T) []complex128 { return stagetest.ComplexOf[complex128](x) }
	return bidiagonalChased[complex128]{of(c.gk), of(c.band), of(c.leftV), of(c.leftTau), of(c.rightV), of(c.rightTau)}
}

// checkComplexBidiagonal checks B = Q2·C·P2ᴴ, where `before` is the band B, and returns the errors
// ‖B·P2 − Q2·C‖ and the larger of ‖Q2ᴴ·Q2 − I‖ and ‖P2ᴴ·P2 − I‖ in the units of LAPACK's ratios,
// with the ulp of double precision. C must be real, except for the last element of its diagonal and
// that of its superdiagonal.
func checkComplexBidiagonal(t *testing.T, n, b int, before []complex128, got bidiagonalChased[complex128]) (similar, orthogonal float64) {
	t.Helper()
	for i, z := range got.gk[:max(0, 2*n-3)] {
		if imag(z) != 0 && b > 1 && n > 2 {
			t.Fatalf("n=%d b=%d: element %d of C is %v", n, b, i, z)
		}
	}
	q, p, c := eyeOf(n), eyeOf(n), make([]complex128, n*n)
	if b > 1 && n > 2 {
		ref.ApplyQ2(n, b, got.leftV, got.leftTau, n, q, n)
		ref.ApplyQ2(n, b, got.rightV, got.rightTau, n, p, n)
	}
	for i, z := range got.gk {
		c[i/2+(i+1)/2*n] = z
	}
	full := make([]complex128, n*n)
	for j := range n {
		for i := max(0, j-b); i <= j; i++ {
			full[i+j*n] = before[ref.BidiagonalBandAt(b, i, j)]
		}
	}
	r := make([]complex128, n*n)
	ref.Gemm(ref.NoTrans, ref.NoTrans, n, n, n, 1, full, n, p, n, 0, r, n)
	ref.Gemm(ref.NoTrans, ref.NoTrans, n, n, n, -1, q, n, c, n, 1, r, n)
	if norm := ratio.Norm1(n, n, full, n); norm > 0 {
		similar = ratio.Norm1(n, n, r, n) / (norm * float64(n) * ratio.Ulp)
	}
	orthogonal = max(ratio.Orthogonality(n, n, q, n), ratio.Orthogonality(n, n, p, n))
	if math.IsNaN(similar + orthogonal) {
		return math.Inf(1), math.Inf(1)
	}
	return similar, orthogonal
}

func eyeOf(n int) []complex128 {
	q := make([]complex128, n*n)
	for i := range n {
		q[i+i*n] = 1
	}
	return q
}

// TestComplexBidiagonalChasing checks the bulge chasing of complex upper bands: random, real and
// imaginary ones, and zero. All forms of the kernel must give the same bits.
func TestComplexBidiagonalChasing(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexBidiagonalChasing[complex128], testComplexBidiagonalChasing[complex64])
}

func testComplexBidiagonalChasing[T stagetest.Complex](t *testing.T) {
	kinds := map[string]func(z complex128) complex128{
		"random":    func(z complex128) complex128 { return z },
		"real":      func(z complex128) complex128 { return complex(real(z), 0) },
		"imaginary": func(z complex128) complex128 { return complex(0, imag(z)) },
		"zero":      func(complex128) complex128 { return 0 },
	}
	var worst [2]float64
	for _, b := range []int{1, 2, 3, 4, 8} {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 9, 14, 23, 33} {
			for name, kind := range kinds {
				if name != "random" && b != 4 {
					continue // saves time
				}
				band := complexUpperBand(n, b)
				for i, z := range band {
					if kept := i == ref.BidiagonalBandAt(b, 0, 0); !kept {
						band[i] = kind(z)
					}
				}
				var first bidiagonalChased[T]
				for i, form := range bidiagonalForms {
					if i > 0 && (b != 4 || name != "random") {
						continue // saves time
					}
					got := bidiagonalBenchOf[T](t, n, b, true, form, SmallestTuning().Chase.Tuning).run(stagetest.ComplexOf[T](band))
					if i > 0 {
						if !got.same(first) {
							t.Errorf("n=%d b=%d: %s gives other bits", n, b, form.name)
						}
						continue
					}
					first = got
					similar, orthogonal := checkComplexBidiagonal(t, n, b, band, complexBidiagonal(got))
					similar, orthogonal = similar/ulps[T](), orthogonal/ulps[T]()
					worst[0], worst[1] = max(worst[0], similar), max(worst[1], orthogonal)
					if !(similar < chaseThreshold && orthogonal < chaseThreshold) {
						t.Errorf("%s n=%d b=%d, %s: B − Q2·C·P2ᴴ %.3g, QᴴQ − I %.3g", name, n, b, form.name, similar, orthogonal)
					}
				}
			}
		}
	}
	t.Logf("worst: B − Q2·C·P2ᴴ %.3g, QᴴQ − I %.3g", worst[0], worst[1])
}

// TestComplexBidiagonalChasingTwin compares C and the reflectors with those of package ref, element
// by element.
func TestComplexBidiagonalChasingTwin(t *testing.T) {
	stagetest.EachComplex(t, testComplexBidiagonalChasingTwin[complex128], testComplexBidiagonalChasingTwin[complex64])
}

func testComplexBidiagonalChasingTwin[T stagetest.Complex](t *testing.T) {
	const n, b = 23, 4
	band := complexUpperBand(n, b)
	for i := range n {
		band[ref.BidiagonalBandAt(b, i, i)] += 20
	}
	form := bidiagonalForms[0]
	got := complexBidiagonal(bidiagonalBenchOf[T](t, n, b, true, form, SmallestTuning().Chase.Tuning).run(stagetest.ComplexOf[T](band)))
	want := chasedByTwin(n, b, band)
	if imag(want.gk[2*n-3]) == 0 || imag(want.gk[2*n-2]) == 0 {
		t.Error("the last elements of C are real in the twin")
	}
	for name, pair := range map[string][2][]complex128{
		"C": {got.gk, want.gk}, "V of Q2": {got.leftV, want.leftV}, "τ of Q2": {got.leftTau, want.leftTau},
		"V of P2": {got.rightV, want.rightV}, "τ of P2": {got.rightTau, want.rightTau},
	} {
		for i := range pair[1] {
			if diff := cmplx.Abs(pair[0][i] - pair[1][i]); !(diff < 0x1p-36*ulps[T]()) {
				t.Fatalf("%s[%d] = %v, the twin says %v", name, i, pair[0][i], pair[1][i])
			}
		}
	}
	values := bidiagonalBenchOf[T](t, n, b, false, form, SmallestTuning().Chase.Tuning).run(stagetest.ComplexOf[T](band))
	if !slices.Equal(stagetest.ComplexOf[complex128](values.gk), got.gk) {
		t.Error("without vectors C has other bits")
	}
}

// TestComplexBidiagonalChasingWide checks the sizes that GPUs use.
func TestComplexBidiagonalChasingWide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n, b = 70, 32
	tune := tuningFor("nvidia").Chase.Tuning
	band := complexUpperBand(n, b)
	got := bidiagonalBenchOf[complex128](t, n, b, true, bidiagonalForm{waits: true, groups: 3}, tune).run(band)
	if similar, orthogonal := checkComplexBidiagonal(t, n, b, band, got); !(similar < chaseThreshold && orthogonal < chaseThreshold) {
		t.Errorf("B − Q2·C·P2ᴴ %.3g, QᴴQ − I %.3g", similar, orthogonal)
	}
}

// TestComplexBandNarrowing compares all forms of the narrowing of complex bands with each other and
// with package ref.
func TestComplexBandNarrowing(t *testing.T) {
	stagetest.EachComplex(t, testComplexBandNarrowing[complex128], testComplexBandNarrowing[complex64])
}

func testComplexBandNarrowing[T stagetest.Complex](t *testing.T) {
	for _, size := range []NarrowSize{{17, 5, 3, 1}, {33, 16, 4, 6}, {40, 30, 18, 12}} {
		r := rand.New(rand.NewPCG(uint64(size.N), 7))
		at, band := ref.NarrowBand{N: size.N, Width: size.From, Tile: size.Tile}, make([]complex128, size.BandLen())
		for i := range size.N {
			for j := i; j < min(size.N, i+size.From+1); j++ {
				if band[at.At(i, j)] = stagetest.RandomComplex(r); i == j {
					band[at.At(i, j)] += 20 // a large diagonal keeps rounding errors small, and the two results near each other
				}
			}
		}
		want, wantGeneral := narrowedByTwin(size, band)
		var first []T
		for i, form := range bidiagonalForms {
			got, general := narrowBenchOf[T](t, size, form, SmallestTuning().Chase.Tuning).run(stagetest.ComplexOf[T](band))
			what := fmt.Sprintf("%+v, %s", size, form.name)
			if i == 0 {
				first = got
			} else if !slices.Equal(got, first) {
				t.Errorf("%s gives other bits", what)
			}
			for name, pair := range map[string][2][]complex128{
				"band": {stagetest.ComplexOf[complex128](got), want}, "general band": {stagetest.ComplexOf[complex128](general), wantGeneral},
			} {
				for i, z := range pair[1] {
					if diff := cmplx.Abs(pair[0][i] - z); !(diff < 0x1p-36*ulps[T]()) {
						t.Fatalf("%s: %s[%d] = %v, the twin says %v", what, name, i, pair[0][i], z)
					}
				}
			}
		}
	}
}
