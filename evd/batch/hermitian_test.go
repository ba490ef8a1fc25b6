package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// hermitian is a test matrix of order n. `full` stores both triangles.
type hermitian struct {
	name string
	n    int
	full []complex128
}

// hermitianOf returns a matrix of numbers that T holds. For complex64, entries outside of its
// normal numbers become about 2^126 or about 2^-130.
func hermitianOf[T stagetest.Complex](kind matgen.HermitianKind, n int) hermitian {
	m, top := hermitian{fmt.Sprintf("%s, n = %d", kind.Name(), n), n, kind.Dense(n)}, 0.0
	if any(*new(T)) == any(complex128(0)) {
		return m
	}
	for _, x := range m.full {
		top = max(top, math.Abs(real(x)), math.Abs(imag(x)))
	}
	by := 0
	if _, e := math.Frexp(top); e > 126 {
		by = 126 - e
	} else if top > 0 && e < -125 {
		by = -130 - e
	}
	for i, x := range m.full {
		m.full[i] = complex(math.Ldexp(real(x), by), math.Ldexp(imag(x), by))
	}
	m.full = stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](m.full))
	return m
}

// symOf returns the matrix for Solve, with a leading dimension of n + 2, and with only the entries of
// the triangle `uplo`. The other triangle and the imaginary parts of the diagonal are NaN.
func symOf[T stagetest.Complex](m hermitian, uplo evd.Uplo, rowMajor bool) evd.Sym[T] {
	return triangleOf[T](m.n, m.full, uplo, rowMajor)
}

func hermitianPlan[T stagetest.Complex](t testing.TB, dev *vk.Device, n, count int, opt batch.Options) *batch.Plan[T] {
	t.Helper()
	p, err := batch.NewPlan[T](dev, n, count, opt)
	return ready(t, p, err)
}

func solveHermitians[T stagetest.Complex](t testing.TB, p *batch.Plan[T], a ...evd.Sym[T]) []batch.Spectrum[T] {
	t.Helper()
	res, err := p.Solve(context.Background(), a)
	return solved(t, res, err).Spectra
}

// inUlps is the factor by which a ratio of package ratio becomes one in ulps of T.
func inUlps[T stagetest.Complex]() float64 { return 0x1p-52 / stagetest.EpsilonOf[T]() }

// worstOf returns the larger one of LAPACK's two error ratios, in ulps of T, or +Inf if s has an
// error or unsorted values.
func worstOf[T stagetest.Complex](m hermitian, s batch.Spectrum[T]) float64 {
	cols, z := len(s.Values), stagetest.ComplexOf[complex128](s.Vectors.Data)
	if s.Err != nil || !slices.IsSorted(s.Values) || s.Vectors.Cols != cols {
		return math.Inf(1)
	}
	return inUlps[T]() * max(ratio.Residual(m.n, cols, m.full, m.n, s.Values, z, s.Vectors.Ld),
		ratio.Orthogonality(m.n, cols, z, s.Vectors.Ld))
}

// checkPhases fails the test if the component of largest magnitude of a vector is not real and
// positive. Of components whose magnitudes differ only by rounding errors, any may be the one.
func checkPhases[T stagetest.Complex](t *testing.T, name string, v *evd.Dense[T]) {
	t.Helper()
	for j := range v.Cols {
		z, largest := stagetest.ComplexOf[complex128](v.Col(j)), 0.0
		for _, x := range z {
			largest = max(largest, cmplx.Abs(x))
		}
		good := func(x complex128) bool {
			return imag(x) == 0 && real(x) > 0 && real(x) >= largest*(1-8*stagetest.EpsilonOf[T]())
		}
		if !slices.ContainsFunc(z, good) {
			t.Errorf("%s: vector %d has the wrong phase", name, j)
			return
		}
	}
}

// hermitiansUpTo returns matrices of all orders up to `most`. Each order has some of the kinds, and
// each kind has several orders.
func hermitiansUpTo[T stagetest.Complex](most int) (all []hermitian) {
	for i, kind := range matgen.Hermitians() {
		for n := range most + 1 {
			if (i+n)%24 == 0 || n < 4 && i%3 == n%3 || os.Getenv("VKEVD_BATCH_KINDS") == "all" {
				all = append(all, hermitianOf[T](kind, n))
			}
		}
	}
	return all
}

// TestHermitiansOfEveryOrder solves batches of Hermitian matrices of all orders up to 130, from both
// triangles and both orders of memory: with the device's own sizes, with divide and conquer, and
// with the smallest sizes. It checks LAPACK's ratios in ulps of the number type, the phases of the
// vectors, and the values of a plan without vectors. On a GPU, matrices of orders up to 512 are
// solved, too.
func TestHermitiansOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testHermitiansOfEveryOrder[complex128], testHermitiansOfEveryOrder[complex64])
}

func testHermitiansOfEveryOrder[T stagetest.Complex](t *testing.T) {
	all, most, smallest := hermitiansUpTo[T](130), 130, tuning.Smallest()
	kinds := matgen.Hermitians()
	large := []int{191, 192, 193, 255, 256, 257, 300, 383, 384, 385, 511, 512}
	if stagetest.Info().Type == "cpu" {
		large = []int{193, 256}
	}
	for i, n := range large {
		for k := i; k < len(kinds) && n <= batch.MaxOrderOf[T](stagetest.Device(t), batch.Options{}); k += 20 {
			all, most = append(all, hermitianOf[T](kinds[k], n)), max(most, n)
		}
	}
	for _, way := range []struct {
		name string
		tune *tuning.Tuning
		most int
	}{{"tuned", nil, most}, {"divide and conquer", conquering(t), most}, {"smallest", &smallest, 70}} {
		t.Run(way.name, func(t *testing.T) {
			var a []evd.Sym[T]
			var some []hermitian
			for i, m := range all {
				if m.n <= way.most {
					some, a = append(some, m), append(a, symOf[T](m, i%2 == 0, i/2%2 == 0))
				}
			}
			dev, opt := stagetest.Device(t), batch.Options{Vectors: true, Tuning: way.tune}
			vectors := solveHermitians(t, hermitianPlan[T](t, dev, way.most, 200, opt), a...)
			opt.Vectors = false
			values := solveHermitians(t, hermitianPlan[T](t, dev, way.most, len(a), opt), a...)
			worst := [2]float64{}
			for i, m := range some {
				s, norm := vectors[i], 0.0
				for _, x := range s.Values {
					norm = max(norm, math.Abs(x))
				}
				r := [2]float64{worstOf(m, s), inUlps[T]() * ratio.Values(m.n, values[i].Values, s.Values, norm)}
				if !(max(r[0], r[1]) < 10) {
					t.Errorf("%s: ratios %.3g, of values alone %.3g, %v", m.name, r[0], r[1], s.Err)
				}
				worst[0], worst[1] = max(worst[0], r[0]), max(worst[1], r[1])
				checkPhases(t, m.name, s.Vectors)
			}
			t.Logf("%d matrices: largest ratio %.3g, of values alone %.3g", len(some), worst[0], worst[1])
		})
	}
}

// hermitiansOfSeveralOrders returns matrices for every kernel of batches.
func hermitiansOfSeveralOrders[T stagetest.Complex]() (all []hermitian, a []evd.Sym[T]) {
	for k, n := range []int{1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 21, 33, 64, 65, 70} {
		m := hermitianOf[T](matgen.Hermitians()[k*2], n)
		all, a = append(all, m), append(a, symOf[T](m, k%2 == 0, k/2%2 == 0))
	}
	return all, a
}

func sameHermitians[T stagetest.Complex](t *testing.T, what string, x, y []batch.Spectrum[T]) {
	t.Helper()
	for k := range x {
		if x[k].Err != nil || y[k].Err != nil || !slices.Equal(x[k].Values, y[k].Values) {
			t.Errorf("%s: values of number %d are %v and %v; %v, %v", what, k, x[k].Values, y[k].Values, x[k].Err, y[k].Err)
		}
		if x[k].Vectors != nil && !slices.Equal(x[k].Vectors.Data, y[k].Vectors.Data) {
			t.Errorf("%s: vectors of number %d differ", what, k)
		}
	}
}

// TestHermitiansHaveTheSameBits solves Hermitian matrices together, again, alone, in reverse order,
// and beside matrices with a NaN in a real or in an imaginary part, which must be the only ones with
// an error. For complex64 a device that seems to have no double precision must give the same bits.
func TestHermitiansHaveTheSameBits(t *testing.T) {
	when.Pick(t, when.Race|when.GPUAV)
	stagetest.EachComplex(t, testHermitiansHaveTheSameBits[complex128], testHermitiansHaveTheSameBits[complex64])
}

func testHermitiansHaveTheSameBits[T stagetest.Complex](t *testing.T) {
	without, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64"}})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	smallest := tuning.Smallest()
	for _, tune := range []*tuning.Tuning{nil, &smallest, conquering(t)} {
		for _, vectors := range []bool{true, false} {
			_, a := hermitiansOfSeveralOrders[T]()
			opt := batch.Options{Vectors: vectors, Tuning: tune}
			p := hermitianPlan[T](t, stagetest.Device(t), 70, len(a)+2, opt)
			together := solveHermitians(t, p, a...)
			sameHermitians(t, "a second time", together, solveHermitians(t, p, a...))
			for k := range a {
				sameHermitians(t, "alone", together[k:k+1], solveHermitians(t, p, a[k]))
			}
			slices.Reverse(a)
			back := solveHermitians(t, p, a...)
			slices.Reverse(back)
			slices.Reverse(a)
			sameHermitians(t, "in reverse order", together, back)

			for _, n := range []int{5, 15, 33, 65} {
				of := hermitian{"", n, make([]complex128, n*n)}
				of.full[3+2*n], of.full[2+3*n] = complex(0, math.NaN()), complex(0, math.NaN())
				rows := symOf[T](of, evd.Lower, true)
				of.full[3+2*n], of.full[2+3*n] = complex(math.Inf(1), 0), complex(math.Inf(1), 0)
				beside := solveHermitians(t, p, slices.Insert(slices.Clone(a), 5, rows, symOf[T](of, evd.Upper, false))...)
				var nan, inf *evd.NonFiniteError
				if !errors.As(beside[5].Err, &nan) || nan.Row != 3 || nan.Col != 2 || !math.IsNaN(nan.Value) || !math.IsNaN(beside[5].Values[0]) {
					t.Errorf("a matrix with a NaN: %v, %v", beside[5].Err, beside[5].Values)
				}
				if !errors.As(beside[6].Err, &inf) || inf.Row != 2 || inf.Col != 3 || !math.IsInf(inf.Value, 1) {
					t.Errorf("a matrix with an infinity: %v", beside[6].Err)
				}
				if vectors && !cmplx.IsNaN(complex128(beside[5].Vectors.Data[n])) {
					t.Error("a matrix with a NaN has vectors")
				}
				sameHermitians(t, "beside a NaN", together, slices.Delete(beside, 5, 7))
			}
			if any(*new(T)) != any(complex64(0)) {
				continue
			}
			sameHermitians(t, "without double precision", together, solveHermitians(t, hermitianPlan[T](t, without, 70, len(a), opt), a...))
		}
	}
}

// TestHermitianRelatives solves A, conj(A), D·A·Dᴴ with a diagonal unitary D, and the real matrix
// [Re A −Im A; Im A Re A], in batches. All have the eigenvalues of A, the last one twice. The
// vectors are z, conj(z), and D·z. An evd.Plan must have the same values and vectors as the batch.
func TestHermitianRelatives(t *testing.T) {
	stagetest.EachComplex(t, testHermitianRelatives[complex128], testHermitianRelatives[complex64])
}

func testHermitianRelatives[T stagetest.Complex](t *testing.T) {
	dev, e, ctx := stagetest.Device(t), stagetest.EpsilonOf[T](), context.Background()
	for _, n := range []int{2, 3, 9, 16, 33, 65} {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		m := hermitianOf[T](matgen.Hermitians()[0], n)
		a, d := m.full, matgen.Phases(n, r)
		conj, turned, real2 := hermitian{"", n, make([]complex128, n*n)}, hermitian{"", n, make([]complex128, n*n)}, make([]float64, 4*n*n)
		for j := range n {
			for i := range n {
				x := a[i+j*n]
				conj.full[i+j*n], turned.full[i+j*n] = cmplx.Conj(x), d[i]*x*cmplx.Conj(d[j])
				real2[i+j*2*n], real2[i+n+(j+n)*2*n] = real(x), real(x)
				real2[i+n+j*2*n], real2[i+(j+n)*2*n] = imag(x), -imag(x)
			}
		}
		p := hermitianPlan[T](t, dev, n, 3, batch.Options{Vectors: true})
		in := symOf[T](m, evd.Lower, false)
		s := solveHermitians(t, p, in, symOf[T](conj, evd.Upper, true), symOf[T](turned, evd.Lower, true))
		twice := solve(t, newPlan(t, 2*n, 1, batch.Options{}), evd.NewSym(2*n, real2, evd.Lower)).Spectra[0].Values
		one, err := evd.NewPlan[T](dev, n, evd.Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		alone, err := one.Solve(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		norm := max(math.Abs(twice[0]), math.Abs(twice[2*n-1]))
		for i, x := range s[0].Values {
			for _, y := range []float64{s[1].Values[i], s[2].Values[i], twice[2*i], twice[2*i+1], alone.Values[i]} {
				if !(math.Abs(x-y) <= 8*float64(n)*e*norm) {
					t.Errorf("n = %d: value %d is %v in place of %v", n, i, x, y)
				}
			}
		}
		z := func(v *evd.Dense[T], j int) []complex128 { return stagetest.ComplexOf[complex128](v.Col(j)) }
		for j := range n {
			want := z(s[0].Vectors, j)
			plus, by := make([]complex128, n), make([]complex128, n)
			for i, x := range want {
				plus[i], by[i] = cmplx.Conj(x), d[i]*x
			}
			for what, pair := range map[string][2][]complex128{
				"conj(A)": {z(s[1].Vectors, j), plus}, "D·A·Dᴴ": {z(s[2].Vectors, j), by}, "evd.Plan": {z(alone.Vectors, j), want},
			} {
				dot := complex(0, 0)
				for i, x := range pair[0] {
					dot += cmplx.Conj(x) * pair[1][i]
				}
				if !(math.Abs(cmplx.Abs(dot)-1) <= 1e4*e) {
					t.Errorf("n = %d, %s: vector %d is another one, |xᴴy| = %v", n, what, j, cmplx.Abs(dot))
				}
			}
		}
		checkPhases(t, "relatives", s[1].Vectors)
	}
}

// TestRealInComplexBatches solves real matrices as complex ones. The vectors must be real, and the
// values must be those of a batch of real matrices.
func TestRealInComplexBatches(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testRealInComplexBatches[complex128], testRealInComplexBatches[complex64])
}

func testRealInComplexBatches[T stagetest.Complex](t *testing.T) {
	var all []hermitian
	var a []evd.Sym[T]
	var reals []evd.Sym[float64]
	for i, n := range []int{1, 2, 3, 8, 9, 16, 20, 33, 66} {
		full := stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](complexesOf(matgen.Dense()[i].Dense(n))))
		m := hermitian{matgen.Dense()[i].Name(), n, full}
		all, a = append(all, m), append(a, symOf[T](m, i%2 == 0, false))
		real_ := make([]float64, n*n)
		for k, x := range full {
			real_[k] = real(x)
		}
		reals = append(reals, evd.NewSym(n, real_, evd.Lower))
	}
	got := solveHermitians(t, hermitianPlan[T](t, stagetest.Device(t), 66, len(a), batch.Options{Vectors: true}), a...)
	want := solve(t, newPlan(t, 66, len(a), batch.Options{}), reals...).Spectra
	for i, m := range all {
		norm := max(math.Abs(want[i].Values[0]), math.Abs(want[i].Values[m.n-1]))
		if r := inUlps[T]() * ratio.Values(m.n, got[i].Values, want[i].Values, norm); !(r < 10) {
			t.Errorf("%s: values differ by %.3g", m.name, r)
		}
		if slices.ContainsFunc(got[i].Vectors.Data, func(x T) bool { return imag(complex128(x)) != 0 }) {
			t.Errorf("%s: vectors are not real", m.name)
		}
	}
}

func complexesOf(x []float64) []complex128 {
	z := make([]complex128, len(x))
	for i := range x {
		z[i] = complex(x[i], 0)
	}
	return z
}

// TestHermitiansOfEveryMagnitude multiplies matrices by powers of two, from the largest numbers to
// the smallest ones. Entries are also so small that the last off-diagonal element of T is negligible
// and complex.
func TestHermitiansOfEveryMagnitude(t *testing.T) {
	stagetest.EachComplex(t, testHermitiansOfEveryMagnitude[complex128], testHermitiansOfEveryMagnitude[complex64])
}

func testHermitiansOfEveryMagnitude[T stagetest.Complex](t *testing.T) {
	powers := []int{1020, 600, 0, -600, -990}
	if any(*new(T)) == any(complex64(0)) {
		powers = []int{123, 60, 0, -60, -100, -120, -126, -128, -140}
	}
	var all []hermitian
	var a []evd.Sym[T]
	add := func(m hermitian) {
		m.full = stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](m.full))
		all, a = append(all, m), append(a, symOf[T](m, len(a)%2 == 0, false))
	}
	for _, n := range []int{2, 9, 40} {
		for _, e := range powers {
			m := hermitian{fmt.Sprintf("n = %d, 2^%d", n, e), n, matgen.Hermitians()[0].Dense(n)}
			for i, x := range m.full {
				m.full[i] = complex(math.Ldexp(real(x)/2, e), math.Ldexp(imag(x)/2, e))
			}
			add(m)
		}
		for _, tiny := range []float64{0x1p-450, 0x1p-70, 0x1p-30} {
			m := hermitian{fmt.Sprintf("n = %d, %g beside 1", n, tiny), n, make([]complex128, n*n)}
			for i := range n {
				m.full[i+i*n] = complex(float64(i+1), 0)
				for j := range i {
					m.full[i+j*n], m.full[j+i*n] = complex(tiny, 2*tiny), complex(tiny, -2*tiny)
				}
			}
			add(m)
		}
	}
	s := solveHermitians(t, hermitianPlan[T](t, stagetest.Device(t), 40, len(a), batch.Options{Vectors: true}), a...)
	values := solveHermitians(t, hermitianPlan[T](t, stagetest.Device(t), 40, len(a), batch.Options{}), a...)
	for i, m := range all {
		norm := max(math.Abs(s[i].Values[0]), math.Abs(s[i].Values[m.n-1]))
		if r := max(worstOf(m, s[i]), inUlps[T]()*ratio.Values(m.n, values[i].Values, s[i].Values, norm)); !(r < 10) {
			t.Errorf("%s: ratio %.3g, %v", m.name, r, s[i].Err)
		}
	}
}

// TestCheckOfHermitians compares the ratios of Check with those of package ratio, for matrices by
// rows and by columns, and changes a vector.
func TestCheckOfHermitians(t *testing.T) {
	stagetest.EachComplex(t, testCheckOfHermitians[complex128], testCheckOfHermitians[complex64])
}

func testCheckOfHermitians[T stagetest.Complex](t *testing.T) {
	all, a := hermitiansOfSeveralOrders[T]()
	p := hermitianPlan[T](t, stagetest.Device(t), 70, len(a), batch.Options{Vectors: true})
	s := solveHermitians(t, p, a...)
	s[9].Vectors.Data[3] += T(complex(0, 1e-3))
	ratios, err := p.Check(context.Background(), a, s)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		if want, got := worstOf(m, s[i]), max(ratios[i].Residual, ratios[i].Orthogonality); !(math.Abs(got-want) <= 1e-6*want) || ratios[i].Passed() == (i == 9) {
			t.Errorf("%s: %+v, want %g", m.name, ratios[i], want)
		}
	}
}
