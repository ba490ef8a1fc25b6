package reduce

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk/spirv"
)

// hermitianKinds are Hermitian matrices on which a reduction in one stage may fail. In some of them
// all elements below the subdiagonal are zero, so that only the imaginary part of the subdiagonal
// needs a reflector.
var hermitianKinds = []struct {
	name string
	of   func(i, j int, x complex128) complex128
}{
	{"zero", func(_, _ int, _ complex128) complex128 { return 0 }},
	{"real", func(_, _ int, x complex128) complex128 { return complex(real(x), 0) }},
	{"imaginary", func(_, _ int, x complex128) complex128 { return complex(0, imag(x)) }},
	{"diagonal", func(i, j int, x complex128) complex128 { return times(i == j, x) }},
	{"tridiagonal", func(i, j int, x complex128) complex128 { return times(i-j <= 1 && j-i <= 1, x) }},
	{"imaginary tridiagonal", func(i, j int, x complex128) complex128 {
		return times(i-j <= 1 && j-i <= 1, complex(0, imag(x)))
	}},
	{"two blocks", func(i, j int, x complex128) complex128 { return times(i < 7 == (j < 7), x) }},
	{"small", func(_, _ int, x complex128) complex128 { return 0x1p-20 * x }},
}

func times(is bool, x complex128) complex128 {
	if is {
		return x
	}
	return 0
}

// scaleToOne multiplies x by a power of two, so that the largest part is in [½, 1).
func scaleToOne(x []complex128) {
	parts := make([]float64, 2*len(x))
	for i, z := range x {
		parts[2*i], parts[2*i+1] = real(z), imag(z)
	}
	nearOne(parts)
	for i := range x {
		x[i] = complex(parts[2*i], parts[2*i+1])
	}
}

// smallestHermitian returns smallestBlocks with registers for as many numbers of T as
// smallestBlocks has for doubles.
func smallestHermitian[T stagetest.Complex](t *testing.T, n, left int) TridiagonalisationTuning {
	tune := smallestBlocks(t, n, left)
	tune.Blocked.Registers *= int(spirv.KindOf[T]().Size()) / 8
	return tune
}

// oneStageErrors are the largest errors of reductions in one stage, in units of the precision of T.
type oneStageErrors[T stagetest.Complex] struct {
	complexErrors[T]
	vectors stagetest.Worst
}

// `of` reduces the Hermitian matrix `dense` on the device. Package ref computes the eigenvectors S
// of T, and Q·S.
func (e *oneStageErrors[T]) of(t *testing.T, name string, n int, tune TridiagonalisationTuning, dense []complex128) (y, band, tau []complex128) {
	t.Helper()
	where := fmt.Sprintf("%s, n = %d", name, n)
	ofY, ofT, ofTau := tridiagonalise(t, n, tune, stagetest.ComplexOf[T](dense))
	y, band, tau = e.see(where, n, 1, dense, ofY, ofT, ofTau)
	d, off := make([]float64, n), make([]float64, n)
	for at, z := range band {
		if imag(z) != 0 {
			t.Fatalf("%s: T[%d] = %v", where, at, z)
		}
		if at%2 == 0 {
			d[at/2] = real(z)
		} else {
			off[at/2] = real(z)
		}
	}
	values, s := ref.DivideConquer(d, off[:n-1])
	z := ref.Promote[complex128](n, n, s, n, 1)
	ref.ApplyQ1(n, 1, y, n, tau, n, z, n)
	e.vectors.See(ratio.Residual(n, n, dense, n, values, z, n)*ratio.Ulp/stagetest.EpsilonOf[T](), where)
	return y, band, tau
}

func (e *oneStageErrors[T]) areSmall(t *testing.T) {
	t.Helper()
	e.complexErrors.areSmall(t)
	e.vectors.AtMost(t, "‖A·Z − Z·Λ‖", 10)
}

func TestComplexTridiagonalisation(t *testing.T) {
	stagetest.EachComplex(t, testComplexTridiagonalisation[complex128], testComplexTridiagonalisation[complex64])
}

// testComplexTridiagonalisation reduces random matrices. In some cases, blocks of columns are
// reduced first. The results are also compared with those of package ref.
func testComplexTridiagonalisation[T stagetest.Complex](t *testing.T) {
	var errors oneStageErrors[T]
	var distance stagetest.Worst
	for _, c := range []struct{ n, left int }{
		{1, 1}, {2, 2}, {3, 3}, {5, 5}, {20, 20}, {33, 33}, {65, 65}, {97, 97},
		{2, 1}, {3, 1}, {5, 4}, {6, 2}, {9, 4}, {18, 17}, {33, 1}, {33, 20}, {65, 33}, {97, 29},
	} {
		tune := smallestHermitian[T](t, c.n, c.left)
		if c.n > 33 { // fewer chunks of columns compile faster
			tune.LocalSize, tune.Blocked.LocalSize = 32, 32
		}
		name := fmt.Sprintf("%d columns left", c.left)
		dense := hermitian(c.n)
		y, band, tau := errors.of(t, name, c.n, tune, dense)
		wantY := slices.Clone(dense)
		wantBand, wantTau := ref.BandReduction(c.n, 1, tune.Blocked.Columns, wantY, c.n)
		norm := ratio.Norm1(c.n, c.n, dense, c.n)
		for _, v := range []struct {
			what      string
			got, want []complex128
			scale     float64
		}{{"Y", y, wantY, 1}, {"T", band, wantBand, norm}, {"τ", tau, wantTau, 1}} {
			for i := range v.got {
				off := cmplx.Abs(v.got[i]-v.want[i]) / v.scale / stagetest.EpsilonOf[T]()
				distance.See(off, fmt.Sprintf("%s[%d], n = %d, %s", v.what, i, c.n, name))
			}
		}
	}
	errors.areSmall(t)
	distance.AtMost(t, "distance from ref.BandReduction in units of ε", 1e5)
}

// TestComplexTridiagonalisationKinds checks the reduction in one stage for all kinds of Hermitian
// matrices of package matgen and for those of hermitianKinds. The matrices are scaled to magnitudes
// near 1.
func TestComplexTridiagonalisationKinds(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	when.Skip(t, when.Quick, "other matrices with the same kernels")
	stagetest.EachComplex(t, testComplexTridiagonalisationKinds[complex128], testComplexTridiagonalisationKinds[complex64])
}

func testComplexTridiagonalisationKinds[T stagetest.Complex](t *testing.T) {
	const n = 20
	kinds := map[string][]complex128{}
	for _, kind := range hermitianKinds {
		dense := hermitian(n)
		for at, x := range dense {
			dense[at] = kind.of(at%n, at/n, x)
		}
		kinds[kind.name] = dense
	}
	for _, kind := range matgen.Hermitians() {
		kinds[kind.Name()] = kind.Dense(n)
	}
	var errors oneStageErrors[T]
	for name, dense := range kinds {
		scaleToOne(dense)
		for _, left := range []int{n, 7} {
			where := fmt.Sprintf("%s, %d columns left", name, left)
			errors.of(t, where, n, smallestHermitian[T](t, n, left), dense)
		}
	}
	errors.areSmall(t)
}

// TestComplexTridiagonalisationRepeats checks that the bits do not depend on the number of
// workgroups, on the number of elements in registers, on the distribution of rows over the
// workgroups, or on which invocations issue memory barriers.
func TestComplexTridiagonalisationRepeats(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Quick, "other sizes of the same kernels")
	stagetest.EachComplex(t, testComplexTridiagonalisationRepeats[complex128], testComplexTridiagonalisationRepeats[complex64])
}

func testComplexTridiagonalisationRepeats[T stagetest.Complex](t *testing.T) {
	const n = 33
	dense := stagetest.ComplexOf[T](hermitian(n))
	for _, left := range []int{n, 10} {
		base, narrow := smallestHermitian[T](t, n, left), smallestWaiting(t)
		wide := narrow
		wide.WideFence = !narrow.WideFence
		want := oneStage(t, n, n, narrow, base, dense, math.MaxInt)
		for name, change := range map[string]func(*TridiagonalisationTuning){
			"same":             func(*TridiagonalisationTuning) {},
			"one workgroup":    func(s *TridiagonalisationTuning) { s.Groups, s.Blocked.Groups, s.Kept = 1, 1, 2*n },
			"all in registers": func(s *TridiagonalisationTuning) { s.Kept, s.Blocked.Registers = 8*n, 200*n },
			"few in registers": func(s *TridiagonalisationTuning) { s.Kept, s.Blocked.Registers = s.rows(left), 0 },
			"blocks of rows":   func(s *TridiagonalisationTuning) { s.Block, s.Blocked.Block, s.Kept = 4, 4, 8*n },
		} {
			tune := base
			change(&tune)
			if sytrdSpec[T](tune, left, 8).LocalSize != sytrdSpec[T](base, left, 8).LocalSize {
				continue // the sums are added in another order, and have other bits
			}
			for _, w := range []stages.Waiting{narrow, wide} {
				r := oneStage(t, n, n, w, tune, dense, math.MaxInt)
				if !slices.Equal(r.a, want.a) || !slices.Equal(r.band, want.band) || !slices.Equal(r.tau, want.tau) || r.info != 0 {
					t.Errorf("%s, %d columns left, %+v: INFO = %d, or the bits differ", name, left, w, r.info)
				}
			}
		}
	}
}

// TestComplexTridiagonalisationEnds checks that no workgroup waits because of a NaN in A, and that
// waits end at the poll limit if one of two workgroups does not run.
func TestComplexTridiagonalisationEnds(t *testing.T) {
	stagetest.EachComplex(t, testComplexTridiagonalisationEnds[complex128], testComplexTridiagonalisationEnds[complex64])
}

func testComplexTridiagonalisationEnds[T stagetest.Complex](t *testing.T) {
	const n = 24
	for _, left := range []int{n, 9} {
		tune := smallestHermitian[T](t, n, left)
		for name, bits := range map[string]complex128{
			"NaN in both parts":         complex(math.Float64frombits(math.MaxUint64), math.Float64frombits(math.MaxUint64)),
			"NaN in the real part":      complex(math.Float64frombits(math.MaxUint64), 1),
			"NaN in the imaginary part": complex(1, math.Float64frombits(math.MaxUint64)),
		} {
			dense := slices.Repeat([]complex128{bits}, n*n)
			r := oneStage(t, n, n, smallestWaiting(t), tune, stagetest.ComplexOf[T](dense), math.MaxInt)
			if z := complex128(r.band[2]); r.info != 0 || !cmplx.IsNaN(z) {
				t.Errorf("%s, %d columns left: INFO = %d, T(1, 1) = %v", name, left, r.info, z)
			}
		}
		tune.Polls, tune.Groups, tune.Blocked.Groups, tune.Kept = 1<<10, 2, 2, 2*n
		dense := stagetest.ComplexOf[T](hermitian(n))
		if r := oneStage(t, n, n, smallestWaiting(t), tune, dense, 1); r.info != 1+1 {
			t.Errorf("%d columns left: INFO = %d; row 1 was waited for", left, r.info)
		}
	}
}
