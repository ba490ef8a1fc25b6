package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

// pair is a Hermitian matrix A and a positive definite matrix B of numbers that a type T holds
// exactly. Both have both triangles.
type pair struct {
	name string
	n    int
	a, b []complex128
}

func eachType(t *testing.T, doubles, singles, complexes, complexSingles func(t *testing.T)) {
	t.Run("float64", doubles)
	t.Run("float32", singles)
	stagetest.EachComplex(t, complexes, complexSingles)
}

func isComplex[T evd.Number]() bool {
	switch any(*new(T)).(type) {
	case complex128, complex64:
		return true
	}
	return false
}

// held returns 2^exponent·x rounded to T. If the largest number would not be a normal number of T, it
// becomes about 2^126 or 2^-130.
func held[T evd.Number](x []complex128, exponent int) []complex128 {
	top := 0.0
	for _, z := range x {
		top = max(top, math.Abs(real(z)), math.Abs(imag(z)))
	}
	if _, e := math.Frexp(top); stagetest.UlpOf[T]() > 0x1p-30 && top > 0 {
		if e+exponent > 126 {
			exponent = 126 - e
		} else if e+exponent < -125 {
			exponent = -130 - e
		}
	}
	y := make([]complex128, len(x))
	for i, z := range x {
		y[i] = complex(math.Ldexp(real(z), exponent), math.Ldexp(imag(z), exponent))
	}
	return stagetest.Exactly(stagetest.Rounded[T](y))
}

// positive returns a positive definite matrix with eigenvalues from 1 down to 1/condition.
func positive[T evd.Number](n int, condition float64) []complex128 {
	values := func(n int) []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = math.Pow(condition, -float64(k)/float64(max(n-1, 1)))
		}
		return v
	}
	if isComplex[T]() {
		return matgen.Unitary("B", values).Dense(n)
	}
	return complexesOf(matgen.Similar("B", values).Dense(n))
}

// lapackPairs returns pairs of the kinds of LAPACK's dsg.in and zsg.in of all orders up to `most`: each
// kind of ddrvst for A, and a B of condition number 10. Each order has some of the kinds, and each
// kind has several orders. The matrices B have different magnitudes.
func lapackPairs[T evd.Number](most int) (all []pair) {
	add := func(i int, name string, dense func(n int) []complex128) {
		if !strings.Contains(name, "ddrvst") && os.Getenv("VKEVD_BATCH_KINDS") != "all" {
			return
		}
		for n := range most + 1 {
			if (i+n)%16 == 0 || n < 4 && i%3 == n%3 || os.Getenv("VKEVD_BATCH_KINDS") == "all" {
				exponent := []int{0, 1, -40, 41}[(i+n)%4]
				all = append(all, pair{fmt.Sprintf("%s, n = %d, B·2^%d", name, n, exponent), n, held[T](dense(n), 0), held[T](positive[T](n, 10), exponent)})
			}
		}
	}
	if isComplex[T]() {
		for i, k := range matgen.Hermitians() {
			add(i, k.Name(), k.Dense)
		}
		return all
	}
	for i, k := range matgen.Dense() {
		add(i, k.Name(), func(n int) []complex128 { return complexesOf(k.Dense(n)) })
	}
	return all
}

// triangleOf returns one triangle of a matrix, with padding. All numbers that must not be read are NaN.
func triangleOf[T evd.Number](n int, full []complex128, uplo evd.Uplo, rowMajor bool) evd.Sym[T] {
	ld := n + 2
	data := stagetest.Triangle[T](n, ld, full, uplo == evd.Upper, rowMajor)
	return evd.Sym[T]{N: n, Ld: ld, Data: data, Uplo: uplo, RowMajor: rowMajor}
}

// given returns the matrices of pairs for Solve, from both triangles and both orders of memory.
func given[T evd.Number](all []pair) (a, b []evd.Sym[T]) {
	for i, p := range all {
		a = append(a, triangleOf[T](p.n, p.a, i%2 == 0, i/2%2 == 0))
		b = append(b, triangleOf[T](p.n, p.b, i/4%2 == 0, i/8%2 == 0))
	}
	return a, b
}

func pairPlan[T evd.Number](t testing.TB, n, count int, opt batch.Options) *batch.PairPlan[T] {
	t.Helper()
	p, err := batch.NewPairPlan[T](stagetest.Device(t), n, count, opt)
	return ready(t, p, err)
}

func solvePairs[T evd.Number](t testing.TB, p *batch.PairPlan[T], a, b []evd.Sym[T]) []batch.Spectrum[T] {
	t.Helper()
	res, err := p.Solve(context.Background(), a, b)
	return solved(t, res, err).Spectra
}

// ratios returns the numbers of ratio.Pencil in ulps of T, or +Inf if s has an error or unsorted values.
func ratios[T evd.Number](p pair, s batch.Spectrum[T]) (eta, omega float64) {
	if s.Err != nil || !slices.IsSorted(s.Values) || s.Vectors.Cols != len(s.Values) {
		return math.Inf(1), math.Inf(1)
	}
	eta, omega = ratio.Pencil(p.n, len(s.Values), p.a, p.n, p.b, p.n, s.Values, stagetest.Exactly(s.Vectors.Data), s.Vectors.Ld)
	unit := stagetest.UlpOf[T]() * 0x1p52
	return eta / unit, omega / unit
}

// checkLargest fails the test if the component of largest magnitude of a vector is not real and
// positive. Of components whose magnitudes differ only by rounding errors, any may be the one.
func checkLargest[T evd.Number](t *testing.T, name string, v *evd.Dense[T]) {
	t.Helper()
	for j := range v.Cols {
		z, largest := stagetest.Exactly(v.Col(j)), 0.0
		for _, x := range z {
			largest = max(largest, cmplx.Abs(x))
		}
		good := func(x complex128) bool {
			return imag(x) == 0 && real(x) > 0 && real(x) >= largest*(1-8*stagetest.UlpOf[T]())
		}
		if !slices.ContainsFunc(z, good) {
			t.Errorf("%s: vector %d has the wrong sign or phase", name, j)
			return
		}
	}
}

// TestPairsOfEveryOrder solves batches of LAPACK's pairs of all orders up to 130: with the device's own
// sizes, and with the smallest ones. It checks the backward errors and the orthogonality as package
// pencil defines them, the signs and phases of the vectors, and the values of a plan without vectors.
// On a GPU, pairs of orders up to 512 are solved, too.
func TestPairsOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	eachType(t, testPairsOfEveryOrder[float64], testPairsOfEveryOrder[float32], testPairsOfEveryOrder[complex128], testPairsOfEveryOrder[complex64])
}

func testPairsOfEveryOrder[T evd.Number](t *testing.T) {
	smallest, dev := tuning.Smallest(), stagetest.Device(t)
	for name, tune := range map[string]*tuning.Tuning{"": nil, "smallest": &smallest} {
		most := min(130, batch.MaxOrderOf[T](dev, batch.Options{Vectors: true, Tuning: tune}))
		all := lapackPairs[T](most)
		if stagetest.Info().Type != "cpu" && tune == nil {
			most = batch.MaxOrderOf[T](dev, batch.Options{Vectors: true})
			for _, n := range []int{191, 192, 193, 255, 256, 257, 300, 384, 511, 512} {
				if n <= most {
					all = append(all, pair{fmt.Sprint("n = ", n), n, held[T](positive[T](n, 1e3), 0), held[T](positive[T](n, 10), 0)})
				}
			}
		}
		a, b := given[T](all)
		vectors := solvePairs(t, pairPlan[T](t, most, 100, batch.Options{Vectors: true, Tuning: tune}), a, b)
		values := solvePairs(t, pairPlan[T](t, most, len(all), batch.Options{Tuning: tune}), a, b)
		worst := [3]float64{}
		for i, p := range all {
			s, norm := vectors[i], 0.0
			eta, omega := ratios(p, s)
			for _, x := range s.Values {
				norm = max(norm, math.Abs(x))
			}
			alone := ratio.Values(p.n, values[i].Values, s.Values, norm) / (stagetest.UlpOf[T]() * 0x1p52)
			if !(max(eta, omega, alone) < 10) {
				t.Errorf("%s %s: ratios %.3g and %.3g, of values alone %.3g, %v", name, p.name, eta, omega, alone, s.Err)
				continue
			}
			worst = [3]float64{max(worst[0], eta), max(worst[1], omega), max(worst[2], alone)}
			checkLargest(t, name+p.name, s.Vectors)
		}
		t.Logf("%s: %d pairs, largest ratios %.3g", name, len(all), worst)
	}
}

// TestPairsBesidePencil compares values and vectors with those of package pencil.
func TestPairsBesidePencil(t *testing.T) {
	eachType(t, testPairsBesidePencil[float64], testPairsBesidePencil[float32], testPairsBesidePencil[complex128], testPairsBesidePencil[complex64])
}

func testPairsBesidePencil[T evd.Number](t *testing.T) {
	var all []pair
	for _, n := range []int{1, 2, 8, 9, 16, 17, 33, 50} {
		all = append(all, pair{fmt.Sprint("n = ", n), n, held[T](positive[T](n, 1e3), 5), held[T](positive[T](n, 10), 3)})
	}
	all[3].a = held[T](complexesOf(matgen.Dense()[20].Dense(9)), 0)
	a, b := given[T](all)
	got := solvePairs(t, pairPlan[T](t, 50, len(all), batch.Options{Vectors: true}), a, b)
	for i, p := range all {
		plan, err := pencil.NewPlan[T](stagetest.Device(t), p.n, pencil.Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := plan.SolvePair(context.Background(), a[i], b[i])
		plan.Close()
		if err != nil || got[i].Err != nil {
			t.Fatal(p.name, err, got[i].Err)
		}
		within := 100 * float64(p.n) * stagetest.UlpOf[T]() * max(math.Abs(want.Values[0]), math.Abs(want.Values[p.n-1]))
		for j, x := range want.Values {
			if !(math.Abs(got[i].Values[j]-x) <= within) {
				t.Errorf("%s: value %d is %g, and that of package pencil %g", p.name, j, got[i].Values[j], x)
			}
			far := true // from other values
			for k, y := range want.Values {
				far = far && (k == j || !(math.Abs(y-x) <= 1000*within))
			}
			v, w := stagetest.Exactly(got[i].Vectors.Col(j)), stagetest.Exactly(want.Vectors.Col(j))
			for k := range v {
				if far && !(cmplx.Abs(v[k]-w[k]) < 1e-2) {
					t.Errorf("%s: vector %d is %v, and that of package pencil %v", p.name, j, v, w)
					break
				}
			}
		}
	}
}

func samePairs[T evd.Number](t *testing.T, what string, x, y []batch.Spectrum[T]) {
	t.Helper()
	for k := range x {
		if x[k].Err != nil || y[k].Err != nil || !slices.Equal(x[k].Values, y[k].Values) {
			t.Errorf("%s: values of pair %d differ, %v, %v", what, k, x[k].Err, y[k].Err)
		} else if x[k].Vectors != nil && !slices.Equal(x[k].Vectors.Data, y[k].Vectors.Data) {
			t.Errorf("%s: vectors of pair %d differ", what, k)
		}
	}
}

// TestPairsHaveTheSameBits solves pairs together, alone, in reverse order, in parts, with one B for
// all A, and beside pairs that cannot be solved.
func TestPairsHaveTheSameBits(t *testing.T) {
	when.Pick(t, when.Race|when.GPUAV)
	eachType(t, testPairsHaveTheSameBits[float64], testPairsHaveTheSameBits[float32], testPairsHaveTheSameBits[complex128], testPairsHaveTheSameBits[complex64])
}

func testPairsHaveTheSameBits[T evd.Number](t *testing.T) {
	smallest, ctx := tuning.Smallest(), context.Background()
	for _, tune := range []*tuning.Tuning{nil, &smallest} {
		for _, vectors := range []bool{true, false} {
			var all []pair
			for i, n := range []int{1, 3, 8, 9, 16, 17, 20, 33, 33, 33, 50} {
				all = append(all, pair{"", n, held[T](positive[T](n, 1e3), i), held[T](positive[T](n, 10), -i)})
			}
			a, b := given[T](all)
			p := pairPlan[T](t, 50, 50, batch.Options{Vectors: vectors, Tuning: tune})
			together := solvePairs(t, p, a, b)
			samePairs(t, "a second time", together, solvePairs(t, p, a, b))
			for k := range a {
				samePairs(t, "alone", together[k:k+1], solvePairs(t, p, a[k:k+1], b[k:k+1]))
			}
			samePairs(t, "in parts", together, solvePairs(t, pairPlan[T](t, 50, 2, batch.Options{Vectors: vectors, Tuning: tune}), a, b))
			slices.Reverse(a)
			slices.Reverse(b)
			back := solvePairs(t, p, a, b)
			slices.Reverse(back)
			slices.Reverse(a)
			slices.Reverse(b)
			samePairs(t, "in reverse order", together, back)

			same := []evd.Sym[T]{a[7], a[8], a[9]}
			shared := solvePairs(t, p, same, b[8:9])
			samePairs(t, "with one B", shared, solvePairs(t, p, same, slices.Repeat(b[8:9], 3)))
			samePairs(t, "with one B in parts", shared, solvePairs(t, pairPlan[T](t, 33, 1, batch.Options{Vectors: vectors, Tuning: tune}), same, b[8:9]))
			samePairs(t, "of one B", shared[1:2], together[8:9])

			// Pairs 4 to 7 cannot be solved: the leading minor of order 18 of the first B is not
			// positive, and the others have a NaN or an infinity.
			bad := slices.Repeat([]pair{{"", 33, all[8].a, all[8].b}}, 4)
			for i := range bad {
				bad[i].a, bad[i].b = slices.Clone(bad[i].a), slices.Clone(bad[i].b)
			}
			bad[0].b[17+17*33] = -1
			bad[1].b[20+3*33], bad[1].b[3+20*33] = complex(math.NaN(), 0), complex(math.NaN(), 0)
			bad[2].a[32+32*33] = complex(math.Inf(1), 0)
			bad[3].b = make([]complex128, 33*33)
			badA, badB := given[T](bad)
			beside, err := p.Solve(ctx, slices.Insert(slices.Clone(a), 4, badA...), slices.Insert(slices.Clone(b), 4, badB...))
			if err != nil {
				t.Fatal(err)
			}
			var minor, zero *pencil.NotPositiveError
			var inB, inA *pencil.MatrixError
			var entry *evd.NonFiniteError
			s := beside.Spectra
			if !errors.As(s[4].Err, &minor) || minor.Order != 18 || !errors.As(s[7].Err, &zero) || zero.Order != 1 {
				t.Errorf("not positive definite: %v, %v", s[4].Err, s[7].Err)
			}
			if !errors.As(s[5].Err, &inB) || inB.Matrix != "B" || !errors.As(s[5].Err, &entry) || entry.Row+entry.Col != 23 {
				t.Errorf("a NaN in B: %v", s[5].Err)
			}
			if !errors.As(s[6].Err, &inA) || inA.Matrix != "A" || !errors.As(s[6].Err, &entry) || entry.Row != 32 {
				t.Errorf("an infinity in A: %v", s[6].Err)
			}
			for k := 4; k < 8; k++ {
				if !math.IsNaN(s[k].Values[0]) || vectors && !stagetest.IsNaN(s[k].Vectors.Data[40]) {
					t.Errorf("pair %d has an error, and the value %g", k, s[k].Values[0])
				}
			}
			samePairs(t, "beside bad pairs", together, slices.Delete(slices.Clone(s), 4, 8))
			for _, x := range solvePairs(t, p, same, badB[:1]) {
				if !errors.As(x.Err, &minor) || minor.Order != 18 {
					t.Errorf("one B that is not positive definite: %v", x.Err)
				}
			}
		}
	}
}

// TestMinorsOfPairs makes each pivot of B negative, zero or NaN in turn.
func TestMinorsOfPairs(t *testing.T) {
	for _, n := range []int{7, 20, 37} {
		var all []pair
		for k := range n {
			p := pair{"", n, held[float64](positive[float64](n, 100), 0), held[float64](positive[float64](n, 10), 0)}
			p.b[k+k*n] = complex(float64(k%2)-1, 0)
			all = append(all, p)
		}
		a, b := given[float64](all)
		for k, s := range solvePairs(t, pairPlan[float64](t, n, n, batch.Options{}), a, b) {
			if e := (*pencil.NotPositiveError)(nil); !errors.As(s.Err, &e) || e.Order != k+1 {
				t.Errorf("order %d: the leading minor of order %d is not positive: %v", n, k+1, s.Err)
			}
		}
	}
}

// TestPairsOfEveryMagnitude multiplies A and B by powers of two. Values and vectors must be those of
// the pair without these powers, up to rounding errors: the root of 2 is in L if a power is odd.
func TestPairsOfEveryMagnitude(t *testing.T) {
	eachType(t, testPairsOfEveryMagnitude[float64], testPairsOfEveryMagnitude[float32], testPairsOfEveryMagnitude[complex128], testPairsOfEveryMagnitude[complex64])
}

func testPairsOfEveryMagnitude[T evd.Number](t *testing.T) {
	most := 1000
	if stagetest.UlpOf[T]() > 0x1p-30 {
		most = 100
	}
	for _, n := range []int{5, 20} {
		var all []pair
		by := [][2]int{{0, 0}, {most, 0}, {-most, 0}, {0, most}, {0, -most}, {most, most}, {-most, -most}, {most / 2, -most / 2}, {-most / 2, most / 2}, {0, 1}}
		for _, e := range by {
			all = append(all, pair{"", n, held[T](held[T](positive[T](n, 10), 0), e[0]), held[T](held[T](positive[T](n, 4), 0), e[1])})
		}
		a, b := given[T](all)
		s := solvePairs(t, pairPlan[T](t, n, len(all), batch.Options{Vectors: true}), a, b)
		for k, e := range by {
			if s[k].Err != nil {
				t.Errorf("A·2^%d, B·2^%d: %v", e[0], e[1], s[k].Err)
				continue
			}
			for j, x := range s[0].Values {
				if got := math.Ldexp(s[k].Values[j], e[1]-e[0]); !(math.Abs(got-x) <= 50*stagetest.UlpOf[T]()*s[0].Values[n-1]) {
					t.Errorf("A·2^%d, B·2^%d: value %d is %g, not %g", e[0], e[1], j, got, x)
				}
			}
			if e[1]%2 != 0 {
				continue
			}
			first, vectors := stagetest.Exactly(s[0].Vectors.Data), stagetest.Exactly(s[k].Vectors.Data)
			for i, x := range first {
				if !(cmplx.Abs(vectors[i]*complex(math.Ldexp(1, e[1]/2), 0)-x) <= 1000*stagetest.UlpOf[T]()) {
					t.Errorf("A·2^%d, B·2^%d: component %d of the vectors is %v", e[0], e[1], i, vectors[i])
					break
				}
			}
		}
	}
}

// TestSelectPairs computes some of the values and vectors. They must be those of the whole spectrum.
func TestSelectPairs(t *testing.T) {
	var all []pair
	for _, n := range []int{6, 9, 30, 47} {
		all = append(all, pair{"", n, held[complex128](positive[complex128](n, 100), 0), held[complex128](positive[complex128](n, 10), 0)})
	}
	a, b := given[complex128](all)
	whole := solvePairs(t, pairPlan[complex128](t, 47, 4, batch.Options{Vectors: true}), a, b)
	some := solvePairs(t, pairPlan[complex128](t, 47, 4, batch.Options{Vectors: true, Select: evd.Index(2, 5)}), a, b)
	for k, s := range some {
		n := all[k].n
		if s.Err != nil || !slices.Equal(s.Values, whole[k].Values[2:5]) || !slices.Equal(s.Vectors.Data, whole[k].Vectors.Data[2*n:5*n]) {
			t.Errorf("pair %d: %v, %v, not %v", k, s.Err, s.Values, whole[k].Values[2:5])
		}
	}
}

// TestCheckOfPairs compares Check with the ratios that the tests compute, and damages a vector. Both
// round products of their own, so that small ratios differ by some hundredths.
func TestCheckOfPairs(t *testing.T) {
	eachType(t, testCheckOfPairs[float64], testCheckOfPairs[float32], testCheckOfPairs[complex128], testCheckOfPairs[complex64])
}

func testCheckOfPairs[T evd.Number](t *testing.T) {
	all := []pair{{"", 11, held[T](positive[T](11, 100), 0), held[T](positive[T](11, 10), 0)}, {n: 0}}
	all = append(all, all[0])
	a, b := given[T](all)
	p := pairPlan[T](t, 11, 3, batch.Options{Vectors: true})
	s := solvePairs(t, p, a, b)
	s[2].Vectors.Data[3] = stagetest.Rounded[T]([]complex128{7})[0]
	r, err := p.Check(context.Background(), a, b, s)
	if err != nil {
		t.Fatal(err)
	}
	if eta, omega := ratios(all[0], s[0]); !(math.Abs(r[0].Residual-eta) <= 0.1*eta+0.02) || !(math.Abs(r[0].Orthogonality-omega) <= 0.1*omega+0.05) || !(r[0].Residual > 0) {
		t.Errorf("Check: %+v, not %g and %g", r[0], eta, omega)
	}
	if r[1] != (evd.Ratios{}) || !(r[2].Residual > 100) || !(r[2].Orthogonality > 100) {
		t.Errorf("Check: %+v", r)
	}
}

// TestPairsRefuse gives plans pairs whose shapes do not fit.
func TestPairsRefuse(t *testing.T) {
	p := pairPlan[float64](t, 5, 3, batch.Options{})
	of := func(n int) evd.Sym[float64] { return evd.NewSym(n, make([]float64, n*n), evd.Lower) }
	for _, c := range []struct {
		a, b   []evd.Sym[float64]
		matrix string
	}{
		{[]evd.Sym[float64]{of(3), of(3), of(3)}, []evd.Sym[float64]{of(3), of(3)}, ""},
		{[]evd.Sym[float64]{of(3)}, nil, ""},
		{[]evd.Sym[float64]{of(3), of(6)}, []evd.Sym[float64]{of(3), of(6)}, "A"},
		{[]evd.Sym[float64]{of(3), of(4)}, []evd.Sym[float64]{of(3)}, "B"},
		{[]evd.Sym[float64]{of(3)}, []evd.Sym[float64]{{N: 3, Data: make([]float64, 8)}}, "B"},
	} {
		_, err := p.Solve(context.Background(), c.a, c.b)
		var shape *evd.ShapeError
		var of *pencil.MatrixError
		if !errors.As(err, &shape) || errors.As(err, &of) != (c.matrix != "") || of != nil && of.Matrix != c.matrix {
			t.Errorf("%d and %d matrices: %v", len(c.a), len(c.b), err)
		}
	}
	if res, err := p.Solve(context.Background(), nil, []evd.Sym[float64]{of(3)}); err != nil || len(res.Spectra) != 0 {
		t.Errorf("no pairs: %v", err)
	}
	if res, err := p.Solve(context.Background(), []evd.Sym[float64]{of(0)}, []evd.Sym[float64]{of(0)}); err != nil || len(res.Spectra[0].Values) != 0 {
		t.Errorf("order 0: %v", err)
	}
}
