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
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// ulp32 is the unit of float32.
const ulp32 = 0x1p-23

// rounded returns the matrix in single precision, and the same rounded matrix for gonum. If the
// exponent of the largest entry is beyond ±100, all entries are first multiplied by a power of two
// that makes this exponent ±100. In float32 the square of the largest entry still overflows or
// underflows.
func rounded(a evd.Dense[float64]) (single evd.Dense[float32], double *mat.Dense) {
	top := 0.0
	for _, x := range a.Data {
		if !math.IsNaN(x) { // NaN is only in the padding
			top = max(top, math.Abs(x))
		}
	}
	scale := 1.0
	if _, e := math.Frexp(top); top != 0 && (e > 100 || e < -100) {
		scale = math.Ldexp(1, 100*e/max(e, -e)-e)
	}
	single = evd.Dense[float32]{Rows: a.Rows, Cols: a.Cols, Ld: a.Ld, RowMajor: a.RowMajor, Data: make([]float32, len(a.Data))}
	for i, x := range a.Data {
		single.Data[i] = float32(x * scale)
	}
	if a.Rows > 0 && a.Cols > 0 {
		double = mat.NewDense(a.Rows, a.Cols, nil)
		double.Apply(func(i, j int, _ float64) float64 { return float64(single.At(i, j)) }, double)
	}
	return single, double
}

func widened(res *Result[float32]) *Result[float64] {
	columns := func(z *evd.Dense[float32]) *evd.Dense[float64] {
		if z == nil {
			return nil
		}
		return &evd.Dense[float64]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: spectrum.Scale(z.Data, 1)}
	}
	return &Result[float64]{Values: spectrum.Scale(res.Values, 1), U: columns(res.U), V: columns(res.V)}
}

func singlePlan(t *testing.T, m, n int, opt Options) *Plan[float32] {
	t.Helper()
	p, err := NewPlan[float32](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// drvbd are the five types of LAPACK's test sdrvbd: zero, identity, and random matrices with evenly
// spaced singular values from σ₁ to σ₁/min(m, n), where σ₁ is 1, 2⁻¹⁰³ or 2¹⁰³.
var drvbd = []family{
	{"sdrvbd 1: zero", families[1].at}, {"sdrvbd 2: identity", families[2].at},
	{"sdrvbd 3: even", nil}, {"sdrvbd 4: even, near underflow", nil}, {"sdrvbd 5: even, near overflow", nil},
}

// makeDrvbd returns the m×n matrix of type i of the list `drvbd`.
func makeDrvbd(i, m, n int, rowMajor bool) evd.Dense[float64] {
	k := min(m, n)
	if drvbd[i].at != nil || k == 0 {
		a, _ := families[1+i%2].make(m, n, rowMajor)
		return a
	}
	d, e := make([]float64, k), make([]float64, k-1)
	for j := range d {
		d[j] = (1 - float64(j)/float64(k)) * []float64{1, 0x1p-103, 0x1p103}[i-2]
	}
	a := turned(max(m, n), d, e, true)
	if m < n {
		a.Rows, a.Cols, a.RowMajor = m, n, true // a row-major matrix in the same memory is the transpose
	}
	return a
}

// TestFloat32Vectors computes all vectors in single precision for every type of sdrvbd and every
// matrix family. The shapes are some of LAPACK's tests, and edge cases of the band, of the blocks
// and of the QR factorisation. The values must be gonum's and have the same bits without vectors.
// The ratios that Check finds and the certificates must be small, in units of float32.
func TestFloat32Vectors(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	small := tuning.Smallest()
	for i, shape := range [][2]int{
		{0, 10}, {1, 1}, {1, 10}, {10, 1}, {3, 3}, {3, 40}, {10, 3}, {20, 20}, {40, 10}, {10, 40}, {5, 4}, {9, 8}, {13, 27}, {50, 50}, {61, 37},
	} {
		m, n := shape[0], shape[1]
		opt := Options{U: Thin, V: Thin, Certify: true, Tuning: &small}
		if i%2 == 1 {
			opt.U, opt.V = Full, Full
		}
		p, alone := singlePlan(t, m, n, opt), singlePlan(t, m, n, Options{Tuning: &small})
		for f, family := range append(slices.Clone(drvbd), families...) {
			rowMajor := (i+f)%2 == 0
			var wide evd.Dense[float64]
			if f < len(drvbd) {
				wide = makeDrvbd(f, m, n, rowMajor)
			} else {
				wide, _ = family.make(m, n, rowMajor)
			}
			a, g := rounded(wide)
			what := fmt.Sprintf("%d×%d %s, row-major %v", m, n, family.name, a.RowMajor)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			values, err := alone.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !slices.Equal(values.Values, res.Values) {
				t.Errorf("%s: other values without vectors", what)
			}
			if c := res.Certificate; !(c.Counts <= ratioLimit && c.Norm <= ratioLimit) {
				t.Errorf("%s: %v", what, c)
			}
			if g == nil {
				continue
			}
			double := widened(res)
			nearIn(t, what, m, n, double.Values, wanted(t, g), ulp32)
			decomposedIn(t, what, g, opt, double, ulp32)
			ratios, err := p.Check(context.Background(), a, res)
			if want := residualOf(g, double) / (ulp32 / 0x1p-52); err != nil || !(ratios.Residual < ratioLimit) || m >= n && !(math.Abs(ratios.Residual-want) <= 1) {
				t.Errorf("%s: Check finds %v, the host a residual of %g, %v", what, ratios, want, err)
			}
			if !(ratios.Left < ratioLimit && ratios.Right < ratioLimit) {
				t.Errorf("%s: Check finds %v", what, ratios)
			}
		}
	}
}

func TestFloat32OwnTuning(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Pick(t, when.Single)
	const m, n = 180, 150
	wide, _ := families[0].make(m, n, false)
	a, g := rounded(wide)
	opt := Options{U: Full, V: Thin, Certify: true}
	res, err := singlePlan(t, m, n, opt).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	nearIn(t, "own tuning", m, n, widened(res).Values, wanted(t, g), ulp32)
	decomposedIn(t, "own tuning", g, opt, widened(res), ulp32)
}

// TestFloat32IsSingle solves a matrix whose singular values need more digits than float32 has. The
// largest error of a value must be at least ε·σ₁/4: the error would be smaller if the plan computed
// in double precision and rounded the values.
func TestFloat32IsSingle(t *testing.T) {
	when.Pick(t, when.Single)
	const m, n = 90, 70
	wide, _ := families[0].make(m, n, false)
	a, g := rounded(wide)
	res, err := singlePlan(t, m, n, Options{U: Thin, V: Thin}).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	worst, want := 0.0, wanted(t, g)
	for i, x := range res.Values {
		worst = max(worst, math.Abs(float64(x)-want[i])/want[0])
	}
	if !(worst >= ulp32/4) {
		t.Errorf("values are within %g of σ₁, which float32 cannot reach", worst)
	}
}

// TestFloat32Range solves matrices whose entries reach from the smallest to the largest float32. A
// value beyond the range of float32 must be right, because the values are doubles. The error for an
// infinite entry must name the entry.
func TestFloat32Range(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	const m, n = 24, 15
	small := tuning.Smallest()
	opt := Options{U: Thin, V: Thin, Certify: true, Tuning: &small}
	p := singlePlan(t, m, n, opt)
	for i, of := range [][]float64{
		{0x1p-149}, {0x1p-149, 0x1p-126, 0}, {0x1p-126}, {1e-20, 1e-40}, {1, 0x1p-149}, {1e20, 1e-20, 1},
		{1e36, 1e-37, 0}, {math.MaxFloat32 / 512, 0x1p-149}, {math.MaxFloat32 / 512}, {0x1p38}, {0x1p-38}, {0x1p39}, {0x1p-39},
	} {
		what := fmt.Sprint(of)
		r := rand.New(rand.NewPCG(uint64(i), 1))
		a := evd.Dense[float32]{Rows: m, Cols: n, Ld: m, Data: make([]float32, m*n)}
		for k := range a.Data {
			a.Data[k] = float32(of[k%len(of)] * float64(1+r.IntN(7)))
		}
		g := mat.NewDense(m, n, nil)
		g.Apply(func(i, j int, _ float64) float64 { return float64(a.At(i, j)) }, g)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		double, want := widened(res), wanted(t, g)
		limit := 2*m*ulp32*want[0] + 0x1p-149 // the last term is the rounding error of subnormal numbers
		for k, x := range double.Values {
			if !(math.Abs(x-want[k]) <= limit) {
				t.Errorf("%s: σ%d is %g, want %g", what, k+1, x, want[k])
				break
			}
		}
		if slices.Max(of) <= 0x1p-100 {
			if u, v := orthogonality(double.U), orthogonality(double.V); !(max(u, v) <= ratioLimit*ulp32/0x1p-52) {
				t.Errorf("%s: orthogonality %g, %g", what, u, v)
			}
		} else {
			decomposedIn(t, what, g, opt, double, ulp32)
		}
		if ratios, err := p.Check(context.Background(), a, res); err != nil || !ratios.Passed() || !res.Certificate.Passed() {
			t.Errorf("%s: %v, %v, %v", what, ratios, res.Certificate, err)
		}
	}
	a := evd.Dense[float32]{Rows: m, Cols: n, Ld: m, Data: slices.Repeat([]float32{math.MaxFloat32}, m*n)}
	res, err := p.Solve(context.Background(), a)
	if want := math.MaxFloat32 * math.Sqrt(m*n); err != nil || !(math.Abs(res.Values[0]-want) < want*1e-5) {
		t.Errorf("the largest value is not √(m·n)·MaxFloat32: %v, %v", res, err)
	}
	a.Data[5*m+2] = float32(math.Inf(-1))
	var bad *evd.NonFiniteError
	if _, err = p.Solve(context.Background(), a); !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 5 {
		t.Errorf("an infinite entry: %v", err)
	}
}

// TestFloat32Options solves with each pair of options for U and V, for all values and for the
// largest ones. The values must be those of the whole result, up to rounding errors, and the
// vectors must have small error ratios.
func TestFloat32Options(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	small := tuning.Smallest()
	for _, shape := range [][2]int{{23, 23}, {60, 20}, {20, 60}} {
		m, n := shape[0], shape[1]
		wide, _ := families[0].make(m, n, m > n)
		a, g := rounded(wide)
		var whole []float64
		for _, opt := range []Options{
			{U: Full, V: Full}, {U: Full, V: Thin}, {U: Thin, V: Full}, {U: Thin}, {V: Thin}, {U: Full}, {V: Full},
			{U: Thin, V: Thin, Largest: 5}, {U: Thin, Largest: 1}, {Largest: 3}, {U: Thin, V: Thin, Band: 3},
		} {
			opt.Tuning = &small
			res, err := singlePlan(t, m, n, opt).Solve(context.Background(), a)
			what := fmt.Sprintf("%d×%d, U %v, V %v, %d largest", m, n, opt.U, opt.V, opt.Largest)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			decomposedIn(t, what, g, opt, widened(res), ulp32)
			if whole == nil {
				whole = res.Values
			}
			for k, x := range res.Values {
				if !(math.Abs(float64(x-whole[k])) <= 1e-5*float64(whole[0])) {
					t.Errorf("%s: σ%d is %g, want %g", what, k+1, x, whole[k])
				}
			}
		}
	}
}

// TestFloat32Rank computes the numerical ranks of matrices of known rank. Rounding errors of zero
// values are of the size of float32's unit.
func TestFloat32Rank(t *testing.T) {
	when.Skip(t, when.Quick, "single precision")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Pick(t, when.Single)
	p := singlePlan(t, 30, 20, Options{})
	for f, want := range map[int]int{0: 20, 1: 0, 3: 1, 4: 2} {
		wide, _ := families[f].make(30, 20, false)
		a, _ := rounded(wide)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Rank(-1); got != want {
			t.Errorf("%s: rank %d, want %d: %v", families[f].name, got, want, res.Values)
		}
	}
}

// TestFloat32CertificateFindsErrors changes a value, and then the bidiagonal matrix, by more than
// rounding errors of float32. The certificate must fail.
func TestFloat32CertificateFindsErrors(t *testing.T) {
	when.Pick(t, when.Single)
	p := singlePlan(t, 30, 20, Options{Certify: true})
	wide, _ := families[0].make(30, 20, false)
	a, _ := rounded(wide)
	right := func(ratio, factor float64) bool {
		if factor == 1 {
			return ratio < 60
		}
		return ratio >= 60
	}
	for _, c := range []struct{ value, entry float64 }{{1, 1}, {1 + 1e-2, 1}, {1, 1.1}} {
		s := &solve[float32]{&p.problem, p.path.Now, p.base.Begin(context.Background(), nil)}
		tri, err := s.reduce(a, 1)
		if err != nil {
			t.Fatal(err)
		}
		part, err := s.steps.values.Solve(s.Call, tri, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		part.Values[3] *= c.value
		tri.E[7] *= c.entry
		got, err := s.certify(a, 1, tri, part)
		if err != nil || !right(got.Counts, c.value) || !right(got.Norm, c.entry) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// TestFloat32Memory checks upper limits for the memory of plans in single precision, in bytes for
// each entry. It prints the memory of plans in double precision, too.
func TestFloat32Memory(t *testing.T) {
	when.Pick(t, when.Single)
	dev := vk.Dry(vk.Info{Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024})
	const n = 16384
	for _, c := range []struct {
		m    int
		opt  Options
		most float64 // largest allowed number of bytes for each entry
	}{{n, Options{}, 5}, {n, Options{U: Thin, V: Thin}, 33}, {10 * n, Options{U: Thin, V: Thin}, 16}} {
		p, err := NewPlan[float32](dev, c.m, n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		double, err := NewPlan[float64](dev, c.m, n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		got := float64(p.Bytes()) / (float64(c.m) * n)
		t.Logf("%d×%d, U %v: %.2f bytes an entry, %.2f in double precision", c.m, n, c.opt.U, got, float64(double.Bytes())/(float64(c.m)*n))
		if !(got <= c.most) {
			t.Errorf("more than %g", c.most)
		}
	}
}
