package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

func complexOf(a []float64) []complex128 {
	z := make([]complex128, len(a))
	for i, x := range a {
		z[i] = complex(x, 0)
	}
	return z
}

func conjugated(a []complex128) []complex128 {
	z := slices.Clone(a)
	for i, x := range z {
		z[i] = cmplx.Conj(x)
	}
	return z
}

// sameSpectrum compares eigenvalues of two solvers, each of which may have the error n·ε·‖A‖.
func sameSpectrum(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if r := ratio.Values(len(want), got, want, norm2(want)); !(r <= 2) {
		t.Errorf("%s: values differ by %g·n·ε·‖A‖", what, r)
	}
}

// TestRealInComplexStorage solves real matrices as real and as complex ones. The complex vectors
// must be real, too. If the eigenvalues are far from each other, the complex vectors must be those
// of the real plan.
func TestRealInComplexStorage(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	const n = 33
	p, q := mustPlan(t, d, n, evd.Options{Vectors: true, Tuning: small()}), planOf[complex128](t, d, n, evd.Options{Vectors: true, Tuning: small()})
	for _, kind := range matgen.Dense() {
		a := kind.Dense(n)
		want, err := p.Solve(context.Background(), evd.NewSym(n, a, evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.Solve(context.Background(), evd.NewSym(n, complexOf(a), evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		sameSpectrum(t, kind.Name(), got.Values, want.Values)
		judge(t, n, complexOf(a), got)
		for k := range n {
			near := func(other int) bool {
				return other >= 0 && other < n && math.Abs(want.Values[k]-want.Values[other]) <= 1e-3*norm2(want.Values)
			}
			z, w := got.Vectors.Col(k), want.Vectors.Col(k)
			if slices.ContainsFunc(z, func(x complex128) bool { return imag(x) != 0 }) || !near(k-1) && !near(k+1) && !parallel(z, complexOf(w)) {
				t.Errorf("%s: vector %d is %v in place of %g", kind.Name(), k, z, w)
			}
		}
	}
}

// TestImaginaryMatrix solves i·K for skew-symmetric K. If λ is an eigenvalue, so is −λ.
func TestImaginaryMatrix(t *testing.T) {
	d := device(t, vk.Options{})
	for _, n := range []int{2, 3, 20, 33} {
		rng := rand.New(rand.NewPCG(uint64(n), 5))
		a := make([]complex128, n*n)
		for j := range n {
			for i := range j {
				x := rng.NormFloat64()
				a[i+j*n], a[j+i*n] = complex(0, x), complex(0, -x)
			}
		}
		values := solve(t, d, n, a, evd.Options{Tuning: small()}).Values
		opposite := slices.Clone(values)
		slices.Reverse(opposite)
		for i := range opposite {
			opposite[i] = -opposite[i]
		}
		sameSpectrum(t, fmt.Sprint(n), values, opposite)
	}
}

// parallel reports whether two vectors of norm 1 differ by a phase and rounding errors only.
func parallel(x, y []complex128) bool {
	var product complex128
	for i := range x {
		product += cmplx.Conj(x[i]) * y[i]
	}
	return math.Abs(cmplx.Abs(product)-1) <= 1e-10
}

// TestTurnedMatrices solves A, conj(A) and D·A·Dᴴ with a diagonal unitary D. They have the same
// eigenvalues, and the vectors z, conj(z) and D·z.
func TestTurnedMatrices(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 33
	a := randomHermitian(n)
	phases, turned := matgen.Phases(n, rand.New(rand.NewPCG(1, 2))), make([]complex128, n*n)
	for i := range a {
		turned[i] = phases[i%n] * a[i] * cmplx.Conj(phases[i/n])
	}
	opt := evd.Options{Tuning: small()}
	want, conj, other := solve(t, d, n, a, opt), solve(t, d, n, conjugated(a), opt), solve(t, d, n, turned, opt)
	sameSpectrum(t, "conj(A)", conj.Values, want.Values)
	sameSpectrum(t, "D·A·Dᴴ", other.Values, want.Values)
	for k := range n {
		z := want.Vectors.Col(k)
		if !parallel(conj.Vectors.Col(k), conjugated(z)) {
			t.Errorf("conj(A): vector %d is another one", k)
		}
		for i := range z {
			z[i] *= phases[i]
		}
		if !parallel(other.Vectors.Col(k), z) {
			t.Errorf("D·A·Dᴴ: vector %d is another one", k)
		}
	}
}

// TestRealEmbedding compares Hermitian matrices A of every kind with the real symmetric matrices
// [Re A −Im A; Im A Re A], which have each eigenvalue of A twice.
func TestRealEmbedding(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	d := device(t, vk.Options{})
	const n = 20
	p, q := mustPlan(t, d, 2*n, evd.Options{Tuning: small()}), planOf[complex128](t, d, n, evd.Options{Tuning: small()})
	for _, kind := range matgen.Hermitians() {
		a, real2 := kind.Dense(n), make([]float64, 4*n*n)
		for j := range n {
			for i := range n {
				re, im := real(a[i+j*n]), imag(a[i+j*n])
				real2[i+j*2*n], real2[i+n+(j+n)*2*n] = re, re
				real2[i+n+j*2*n], real2[i+(j+n)*2*n] = im, -im
			}
		}
		twice, err := p.Solve(context.Background(), evd.NewSym(2*n, real2, evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		once, err := q.Solve(context.Background(), evd.NewSym(n, a, evd.Lower))
		if err != nil {
			t.Fatal(err)
		}
		both := append(slices.Clone(once.Values), once.Values...)
		slices.Sort(both)
		sameSpectrum(t, kind.Name(), both, twice.Values)
	}
}

// TestBothTrianglesOfNearlyEqualValues solves matrices with groups of nearly equal eigenvalues from
// their lower and from their upper triangles. (OpenBLAS once found other values of such complex64
// matrices from the upper triangle.)
func TestBothTrianglesOfNearlyEqualValues(t *testing.T) {
	when.Skip(t, when.Quick, "other tests read both triangles")
	d := device(t, vk.Options{})
	const n = 40
	p, q := planOf[complex128](t, d, n, evd.Options{Vectors: true, Tuning: small()}), planOf[complex64](t, d, n, evd.Options{Vectors: true, Tuning: small()})
	for _, gap := range []float64{0, 1e-16, 1e-14, 1e-10, 1e-7, 1e-5} {
		kind := matgen.Unitary("nearly equal", func(n int) []float64 {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(i/5) + gap*float64(i%5)
			}
			return values
		})
		a, want := kind.Dense(n), make([]float64, 0, n)
		for i := range n {
			want = append(want, float64(i/5)+gap*float64(i%5))
		}
		slices.Sort(want)
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			res, err := p.Solve(context.Background(), triangle(n, n, a, uplo))
			if err != nil {
				t.Fatal(err)
			}
			judge(t, n, a, res)
			sameSpectrum(t, fmt.Sprintf("gap %g, upper %v", gap, uplo), res.Values, want)
			single, double := rounded[complex64](a)
			in := evd.NewSym(n, single, uplo)
			short, err := q.Solve(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			_, z := widened[complex128](short)
			if r, o := shorter*ratio.Residual(n, n, double, n, short.Values, z, n), shorter*ratio.Orthogonality(n, n, z, n); !(r < good && o < good) {
				t.Errorf("complex64, gap %g, upper %v: residual %g, orthogonality %g", gap, uplo, r, o)
			}
		}
	}
}

// TestHermitiansOfOrdersZeroAndOne checks the matrices that are solved without the device. The
// imaginary part of a diagonal is not read.
func TestHermitiansOfOrdersZeroAndOne(t *testing.T) {
	d := device(t, vk.Options{})
	for n, want := range [][]float64{{}, {7}} {
		for _, verify := range []bool{false, true} {
			p := planOf[complex64](t, d, n, evd.Options{Vectors: true, Verify: verify})
			res, err := p.Solve(context.Background(), evd.Herm[complex64]{N: n, Data: []complex64{complex(7, float32(math.NaN()))}})
			if err != nil || !slices.Equal(res.Values, want) || len(res.Vectors.Data) != n || n == 1 && res.Vectors.At(0, 0) != 1 {
				t.Errorf("order %d: %+v, %v", n, res, err)
			}
		}
	}
}

// TestComplexPlansRefuse checks that an error names each option that complex plans do not have.
func TestComplexPlansRefuse(t *testing.T) {
	d := device(t, vk.Options{})
	for name, opt := range map[string]evd.Options{
		"Moduli": {Products: evd.ProductsEmulated, Moduli: 13},
	} {
		for _, vectors := range []bool{false, true} {
			opt.Vectors, opt.Tuning = vectors, small()
			var bad *evd.OptionError
			if _, err := evd.NewPlan[complex128](d, 21, opt); !errors.As(err, &bad) || bad.Option != name {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := evd.NewPlan[complex64](d, 21, opt); !errors.As(err, &bad) || bad.Option != name {
				t.Errorf("%s in single precision: %v", name, err)
			}
		}
	}
}

// TestHermitiansOfSeveralDevices divides the columns of the vectors among two and three devices.
// The result must have the bits of one device.
func TestHermitiansOfSeveralDevices(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d := [3]*vk.Device{device(t, vk.Options{}), device(t, vk.Options{}), device(t, vk.Options{})}
	const n = 33
	a := randomHermitian(n)
	single, _ := rounded[complex64](a)
	for _, opt := range []evd.Options{{}, {RowMajor: true}, {Verify: true}, {Select: evd.Index(3, 20)}, {Solver: evd.MRRR, Tuning: oneStage()}} {
		opt.Vectors = true
		if opt.Tuning == nil {
			opt.Tuning = unsplit()
		}
		for k := range 2 {
			several := severally(opt, d[1:k+2]...)
			if p := planOf[complex128](t, d[0], n, several); p.Distributed() || len(p.Devices()) != k+2 {
				t.Fatalf("%d devices, distributed: %v", len(p.Devices()), p.Distributed())
			}
			what := fmt.Sprintf("%+v, %d devices", opt, k+2)
			agree(t, what, solved(t, d[0], n, a, several), solved(t, d[0], n, a, opt))
			agree(t, what+", complex64", solved(t, d[0], n, single, several), solved(t, d[0], n, single, opt))
		}
	}
}

// TestCostsOfHermitians compares the operations of a complex plan with those of a real plan of the
// same sizes. The complex plan must have the same number for the tridiagonal problem, and four
// times as many for every other stage.
func TestCostsOfHermitians(t *testing.T) {
	opt := evd.Options{Vectors: true, Tuning: small()}
	divided := severally(opt, vk.Dry(dryInfo))
	divided.Distribute = true
	for _, opt := range []evd.Options{opt, divided} {
		p, err := evd.NewPlan[complex128](vk.Dry(dryInfo), 40, opt)
		q, err2 := evd.NewPlan[float64](vk.Dry(dryInfo), 40, opt)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		defer q.Close()
		for i, c := range p.Costs() {
			times := 4.0
			if c.Stage == stages.PhaseTridiagonal {
				times = 1
			}
			if want := q.Costs()[i]; c.Stage != want.Stage || c.Flops != times*want.Flops {
				t.Errorf("divided %v: %+v, and of the real plan %+v", opt.Distribute, c, want)
			}
		}
	}
}
