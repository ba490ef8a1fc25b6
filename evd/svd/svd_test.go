package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

var testDevice = stagetest.Device

// family is a kind of test matrix. The function `at` returns entry (i, j) of an m×n matrix.
type family struct {
	name string
	at   func(r *rand.Rand, i, j, m, n int) float64
}

var families = []family{
	{"random", func(r *rand.Rand, _, _, _, _ int) float64 { return r.NormFloat64() }},
	{"zero", func(*rand.Rand, int, int, int, int) float64 { return 0 }},
	{"identity", func(_ *rand.Rand, i, j, _, _ int) float64 { return map[bool]float64{true: 1}[i == j] }},
	{"ones, rank 1", func(*rand.Rand, int, int, int, int) float64 { return 1 }},
	{"rank 2", func(_ *rand.Rand, i, j, _, _ int) float64 { return float64(i) + float64(j) }},
	{"graded rows", func(r *rand.Rand, i, _, _, _ int) float64 { return r.NormFloat64() * math.Pow(10, -float64(i)/3) }},
	{"graded columns", func(r *rand.Rand, _, j, _, _ int) float64 { return r.NormFloat64() * math.Pow(10, -float64(j)/3) }},
	{"Hilbert", func(_ *rand.Rand, i, j, _, _ int) float64 { return 1 / float64(i+j+1) }},
	{"lower triangular", func(r *rand.Rand, i, j, _, _ int) float64 {
		if i < j {
			return 0
		}
		return r.NormFloat64()
	}},
	{"large", func(r *rand.Rand, _, _, _, _ int) float64 { return r.NormFloat64() * 1e300 }},
	{"small", func(r *rand.Rand, _, _, _, _ int) float64 { return r.NormFloat64() * 1e-300 }},
	{"subnormal", func(r *rand.Rand, _, _, _, _ int) float64 { return r.NormFloat64() * 1e-315 }},
	{"rows of zeros", func(r *rand.Rand, i, _, _, _ int) float64 {
		if i%3 == 0 {
			return 0
		}
		return r.NormFloat64()
	}},
}

// make returns a random m×n matrix of the family, stored by columns or by rows. The padding is NaN.
// The second result is the same matrix for gonum.
func (f family) make(m, n int, rowMajor bool) (evd.Dense[float64], *mat.Dense) {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	a := evd.Dense[float64]{Rows: m, Cols: n, Ld: m + 2, RowMajor: rowMajor}
	if rowMajor {
		a.Ld = n + 3
	}
	a.Data = slices.Repeat([]float64{math.NaN()}, a.Ld*map[bool]int{true: m, false: n}[rowMajor])
	var g *mat.Dense
	if m > 0 && n > 0 {
		g = mat.NewDense(m, n, nil)
	}
	for i := range m {
		for j := range n {
			x := f.at(r, i, j, m, n)
			g.Set(i, j, x)
			if rowMajor {
				a.Data[i*a.Ld+j] = x
			} else {
				a.Data[i+j*a.Ld] = x
			}
		}
	}
	return a, g
}

// wanted returns the singular values of the matrix g, computed by gonum, in descending order.
func wanted(t *testing.T, g *mat.Dense) []float64 {
	t.Helper()
	if g == nil {
		return nil
	}
	// gonum scales matrices with large or small entries, as LAPACK does. It does not scale a matrix
	// of subnormal entries, so the test does.
	var s mat.Dense
	largest := mat.Norm(g, math.Inf(1))
	_, e := math.Frexp(largest)
	if largest == 0 {
		e = 0
	}
	up := math.Ldexp(1, min(-e, 1000))
	s.Apply(func(_, _ int, v float64) float64 { return v * up }, g)
	var svd mat.SVD
	if !svd.Factorize(&s, mat.SVDNone) {
		t.Fatal("gonum finds no singular values")
	}
	values := svd.Values(nil)
	for i := range values {
		values[i] /= up
	}
	return values
}

// near checks that each computed singular value differs from the wanted one by at most 2·max(m,
// n)·ε·σ₁ + 2⁻¹⁰⁷⁰, and that the values are not negative and in descending order.
func near(t *testing.T, what string, m, n int, got, want []float64) {
	t.Helper()
	nearIn(t, what, m, n, got, want, 0x1p-52)
}

// nearIn does the same as `near` for values with the unit `ulp`.
func nearIn(t *testing.T, what string, m, n int, got, want []float64, ulp float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if limit := 2*float64(max(m, n))*ulp*want[0] + 0x1p-1070; !(math.Abs(got[i]-want[i]) <= limit) {
			t.Errorf("%s: σ%d is %g, want %g", what, i+1, got[i], want[i])
			return
		}
		if !(got[i] >= 0) || i > 0 && !(got[i] <= got[i-1]) {
			t.Errorf("%s: σ%d = %g after %g", what, i+1, got[i], got[max(i-1, 0)])
		}
	}
}

func TestValues(t *testing.T) {
	small := tuning.Smallest()
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {5, 1}, {2, 2}, {3, 2}, {4, 4}, {7, 9}, {16, 16}, {17, 13}, {13, 40}, {50, 50}, {61, 37}} {
		for _, rowMajor := range []bool{false, true} {
			p, err := NewPlan[float64](testDevice(t), shape[0], shape[1], Options{Tuning: &small})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				a, g := f.make(shape[0], shape[1], rowMajor)
				res, err := p.Solve(context.Background(), a)
				what := fmt.Sprintf("%d×%d %s, row-major %v", shape[0], shape[1], f.name, rowMajor)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				near(t, what, shape[0], shape[1], res.Values, wanted(t, g))
			}
			p.Close()
		}
	}
}

// TestLargest computes only the largest values, with the device's own tuning.
func TestLargest(t *testing.T) {
	const m, n = 180, 150
	a, g := families[0].make(m, n, false)
	want := wanted(t, g)
	for _, k := range []int{0, 1, 10, n} {
		p, err := NewPlan[float64](testDevice(t), m, n, Options{Largest: k})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			if k > 0 {
				near(t, fmt.Sprint(k, " largest"), m, n, res.Values, want[:k])
			} else {
				near(t, "all", m, n, res.Values, want)
			}
		}
		p.Close()
	}
}

func TestRefuses(t *testing.T) {
	d := testDevice(t)
	var shape *evd.ShapeError
	var option *evd.OptionError
	if _, err := NewPlan[float64](d, -1, 2, Options{}); !errors.As(err, &shape) {
		t.Errorf("-1 rows: %v", err)
	}
	for _, opt := range []Options{{Largest: -1}, {Largest: 4}, {Band: -1}, {Band: 4, Block: 6}} {
		if p, err := NewPlan[float64](d, 3, 5, opt); !errors.As(err, &option) || p != nil {
			t.Errorf("%+v: %v, %v", opt, p, err)
		}
	}
	p, err := NewPlan[float64](d, 3, 5, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	good, g := families[0].make(3, 5, false)
	short := good
	short.Data = short.Data[:len(short.Data)-3]
	turned, _ := families[0].make(5, 3, false)
	var mine *ShapeError
	for name, a := range map[string]evd.Dense[float64]{"short": short, "turned": turned} {
		if _, err := p.Solve(ctx, a); !errors.As(err, &mine) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		a, _ := families[0].make(3, 5, false)
		a.Data[2+3*a.Ld] = bad
		var notFinite *evd.NonFiniteError
		if _, err := p.Solve(ctx, a); !errors.As(err, &notFinite) || notFinite.Row != 2 || notFinite.Col != 3 {
			t.Errorf("%g at (2, 3): %v", bad, err)
		}
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Solve(done, good); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	res, err := p.Solve(ctx, good) // the plan must work afterwards
	if err != nil {
		t.Fatal(err)
	}
	near(t, "after errors", 3, 5, res.Values, wanted(t, g))
	p.Close()
	if _, err := p.Solve(ctx, good); !errors.Is(err, evd.ErrClosed) {
		t.Errorf("a closed plan: %v", err)
	}
}

// TestSameBits solves a matrix several times, with other solves between. All results must have the
// same bits.
func TestSameBits(t *testing.T) {
	when.Pick(t, when.GPUAV)
	const m, n = 90, 70
	p, err := NewPlan[float64](testDevice(t), m, n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var first []float64
	for _, f := range []int{0, 7, 0, 5, 0} {
		a, _ := families[f].make(m, n, true)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if f == 0 && first == nil {
			first = res.Values
		} else if f == 0 && !slices.Equal(res.Values, first) {
			t.Error("another run, other bits")
		}
	}
}

func ExampleValues() {
	a := mat.NewDense(2, 3, []float64{3, 0, 0, 0, 0, 4})
	values, err := Values(context.Background(), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", values)
	// Output: [4.000 3.000]
}

func ExampleDecompose() {
	a := mat.NewDense(3, 2, []float64{0, 2, 3, 0, 0, 0})
	res, err := Decompose(context.Background(), a)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("values %.3f, rank %d\n", res.Values, res.Rank(-1))
	for j := range res.Values {
		fmt.Printf("%.3f·%.3f\n", res.U.Col(j), res.V.Col(j))
	}
	// Output:
	// values [3.000 2.000], rank 2
	// [0.000 1.000 0.000]·[1.000 0.000]
	// [1.000 0.000 0.000]·[0.000 1.000]
}
