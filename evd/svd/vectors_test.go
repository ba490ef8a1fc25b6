package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

func gonumOf(d *evd.Dense[float64], scale float64) *mat.Dense {
	g := mat.NewDense(d.Rows, d.Cols, nil)
	g.Apply(func(i, j int, _ float64) float64 { return d.At(i, j) * scale }, g)
	return g
}

// orthogonality returns ‖ZᵀZ − I‖₁/(rows·ε) for the matrix z = Z.
func orthogonality(z *evd.Dense[float64]) float64 {
	if z.Cols == 0 {
		return 0
	}
	g, x := gonumOf(z, 1), mat.Dense{}
	x.Mul(g.T(), g)
	for i := range z.Cols {
		x.Set(i, i, x.At(i, i)-1)
	}
	return mat.Norm(&x, 1) / (float64(z.Rows) * 0x1p-52)
}

// residualOf returns ‖A·V − U·Σ‖₁/(‖A‖₁·max(m, n)·ε) for a result. The matrices U and V have only
// the vectors that belong to a singular value.
func residualOf(g *mat.Dense, res *Result[float64]) float64 {
	m, n := g.Dims()
	k := len(res.Values)
	largest := 0.0
	for _, x := range g.RawMatrix().Data {
		largest = max(largest, math.Abs(x))
	}
	scale := 1.0
	if _, e := math.Frexp(largest); largest > 0 {
		scale = math.Ldexp(1, min(-e, 1000))
	}
	var a, x mat.Dense
	a.Scale(scale, g)
	u, v := gonumOf(res.U, 1), gonumOf(res.V, 1)
	x.Mul(&a, v.Slice(0, n, 0, k))
	x.Apply(func(i, j int, x float64) float64 { return x - u.At(i, j)*(res.Values[j]*scale) }, &x)
	r := mat.Norm(&x, 1)
	if r == 0 {
		return 0
	}
	return r / max(mat.Norm(&a, 1), 0x1p-1022*scale) / (float64(max(m, n)) * 0x1p-52)
}

// signed fails the test if the first component of largest magnitude of a column of z is negative or
// NaN.
func signed(t *testing.T, what string, z *evd.Dense[float64]) {
	t.Helper()
	for j := range z.Cols {
		top := 0.0
		for _, x := range z.Col(j) {
			if math.Abs(x) > math.Abs(top) || math.IsNaN(x) {
				top = x
			}
		}
		if !(top >= 0) {
			t.Errorf("%s: the largest component of column %d is %g", what, j, top)
			return
		}
	}
}

const ratioLimit = 10

// decomposed checks that the result `res` is a singular value decomposition of the matrix g. The
// error ratios must be small, and values and vectors must have the sizes that `opt` asks for.
func decomposed(t *testing.T, what string, g *mat.Dense, opt Options, res *Result[float64]) {
	t.Helper()
	decomposedIn(t, what, g, opt, res, 0x1p-52)
}

// decomposedIn does the same as `decomposed` for results with the unit `ulp`.
func decomposedIn(t *testing.T, what string, g *mat.Dense, opt Options, res *Result[float64], ulp float64) {
	t.Helper()
	limit := ratioLimit * ulp / 0x1p-52
	m, n := g.Dims()
	for _, c := range []struct {
		name   string
		z      *evd.Dense[float64]
		wanted Vectors
		rows   int
	}{{"U", res.U, opt.U, m}, {"V", res.V, opt.V, n}} {
		cols := len(res.Values)
		if c.wanted == Full {
			cols = c.rows
		}
		if (c.z == nil) != (c.wanted == None) || c.z != nil && (c.z.Rows != c.rows || c.z.Cols != cols) {
			t.Fatalf("%s: %s is %v", what, c.name, c.z)
		}
		if c.z == nil {
			continue
		}
		if r := orthogonality(c.z); !(r < limit) {
			t.Errorf("%s: orthogonality of %s: %.3g", what, c.name, r)
		}
	}
	if res.U != nil && res.V != nil {
		if r := residualOf(g, res); !(r < limit) {
			t.Errorf("%s: residual %.3g", what, r)
		}
	}
	if res.V != nil {
		signed(t, what+", V", res.V)
	} else if res.U != nil {
		signed(t, what+", U", res.U)
	}
}

// pairs are the numbers of rows and columns in svd.in, the input file of LAPACK's tests dchkbd and
// ddrvbd.
var pairs = [][2]int{
	{0, 0}, {0, 1}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 3}, {10, 10}, {10, 16}, {16, 10},
	{16, 16}, {30, 30}, {30, 40}, {40, 30}, {40, 40},
}

// ownPairs are more numbers of rows and columns. Some matrices have so many rows that a QR
// factorisation comes first.
var ownPairs = [][2]int{
	{0, 10}, {1, 10}, {3, 10}, {3, 40}, {10, 0}, {10, 1}, {10, 3}, {10, 40}, {20, 20}, {40, 3}, {40, 10}, {30, 20}, {2, 2}, {4, 4},
	{5, 4}, {5, 5}, {7, 9}, {8, 4}, {9, 8}, {17, 13}, {13, 27}, {50, 50}, {61, 37},
}

// TestVectors computes all vectors for every matrix family. The shapes are those of LAPACK's tests,
// and edge cases of the band, of the blocks and of the QR factorisation. The values must have the
// same bits as without vectors.
func TestVectors(t *testing.T) {
	small := tuning.Smallest()
	for i, shape := range slices.Concat(pairs, ownPairs) {
		m, n := shape[0], shape[1]
		opt := Options{U: Thin, V: Thin, Tuning: &small}
		if i%2 == 1 {
			opt.U, opt.V = Full, Full
		}
		p, err := NewPlan[float64](testDevice(t), m, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := NewPlan[float64](testDevice(t), m, n, Options{Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		for f, family := range families {
			a, g := family.make(m, n, (i+f)%2 == 0)
			what := fmt.Sprintf("%d×%d %s, row-major %v", m, n, family.name, a.RowMajor)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			values, err := plain.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !slices.Equal(values.Values, res.Values) {
				t.Errorf("%s: other values without vectors", what)
			}
			if g != nil {
				decomposed(t, what, g, opt, res)
			} else if (res.U.Cols > 0) != (opt.U == Full && m > 0) || (res.V.Cols > 0) != (opt.V == Full && n > 0) {
				t.Errorf("%s: %v, %v", what, res.U, res.V)
			}
		}
		p.Close()
		plain.Close()
	}
}

// TestVectorsOfOneSide solves with each pair of options for U and V, for all values and for the
// largest ones. The vectors of the largest values must be the first columns of all vectors, up to
// rounding errors. If only U is wanted, it is not compared, because its signs follow another rule.
func TestVectorsOfOneSide(t *testing.T) {
	when.Skip(t, when.Quick, "TestVectors")
	when.Skip(t, when.Validation, "TestVectors records the kernels")
	small := tuning.Smallest()
	for _, shape := range [][2]int{{23, 23}, {29, 21}, {21, 29}, {60, 20}, {20, 60}} {
		m, n := shape[0], shape[1]
		for _, rowMajor := range []bool{false, true} {
			a, g := families[0].make(m, n, rowMajor)
			var whole *Result[float64]
			for _, opt := range []Options{
				{U: Thin, V: Thin}, {U: Full, V: Full}, {U: Full, V: Thin}, {U: Thin, V: Full}, {U: Thin}, {V: Thin}, {U: Full}, {V: Full},
				{U: Thin, V: Thin, Largest: 5}, {U: Thin, Largest: 1}, {V: Thin, Largest: min(m, n)},
			} {
				opt.Tuning = &small
				p, err := NewPlan[float64](testDevice(t), m, n, opt)
				if err != nil {
					t.Fatal(err)
				}
				res, err := p.Solve(context.Background(), a)
				what := fmt.Sprintf("%d×%d row-major %v, U %v, V %v, %d largest", m, n, rowMajor, opt.U, opt.V, opt.Largest)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				decomposed(t, what, g, opt, res)
				if whole == nil {
					whole = res
				}
				both := res.U != nil && res.V != nil
				for _, z := range [][2]*evd.Dense[float64]{{res.U, whole.U}, {res.V, whole.V}} {
					if z[0] == nil || !both && z[0] == res.U { // the signs of U alone follow another rule
						continue
					}
					for j := range len(res.Values) {
						for i, x := range z[0].Col(j) {
							if !(math.Abs(x-z[1].At(i, j)) < 1e-9) {
								t.Fatalf("%s: component %d of vector %d is %g, with all vectors %g", what, i, j, x, z[1].At(i, j))
							}
						}
					}
				}
				p.Close()
			}
		}
	}
}

// TestCheck compares the ratios that the device computes with those that the host computes. A wrong
// value must increase only the residual. A column of U that occurs twice must increase Left but not
// Right. A NaN in V must make Right and the residual infinite.
func TestCheck(t *testing.T) {
	for _, shape := range [][2]int{{31, 31}, {40, 23}, {23, 40}, {70, 20}} {
		m, n := shape[0], shape[1]
		for _, opt := range []Options{{U: Thin, V: Thin}, {U: Full, V: Full}, {U: Thin, V: Thin, Largest: 7}} {
			p, err := NewPlan[float64](testDevice(t), m, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			a, g := families[0].make(m, n, m%2 == 0)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%d×%d, U %v, %d largest", m, n, opt.U, opt.Largest)
			check := func() Ratios {
				r, err := p.Check(context.Background(), a, res)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			got := check()
			if want := residualOf(g, res); !(got.Residual < ratioLimit) || m >= n && !(math.Abs(got.Residual-want) <= 0.2) {
				t.Errorf("%s: residual %g, on the host %g", what, got.Residual, want)
			}
			if u, v := orthogonality(res.U), orthogonality(res.V); !(math.Abs(got.Left-u) <= 0.2 && math.Abs(got.Right-v) <= 0.2) {
				t.Errorf("%s: %v, on the host %g, %g", what, got, u, v)
			}
			res.Values[2] *= 1 + 1e-9
			if r := check(); !(r.Residual >= 60 && r.Left <= 10 && r.Right <= 10) {
				t.Errorf("%s, a value moved: %v", what, r)
			}
			res.Values[2] /= 1 + 1e-9
			last := res.U.Cols - 1
			copy(res.U.Col(last), res.U.Col(0))
			if r := check(); !(r.Left >= 60 && r.Right <= 10) {
				t.Errorf("%s, U with a column twice: %v", what, r)
			}
			res.V.Data[1] = math.NaN()
			if r := check(); !math.IsInf(r.Right, 1) || !math.IsInf(r.Residual, 1) {
				t.Errorf("%s, a NaN in V: %v", what, r)
			}
			p.Close()
		}
	}
}

// withGaps returns the columns of z with three elements of NaN between them.
func withGaps(z *evd.Dense[float64]) *evd.Dense[float64] {
	ld := z.Rows + 3
	wide := evd.Dense[float64]{Rows: z.Rows, Cols: z.Cols, Ld: ld, Data: slices.Repeat([]float64{math.NaN()}, ld*z.Cols)}
	for j := range z.Cols {
		copy(wide.Col(j), z.Col(j))
	}
	return &wide
}

// TestCheckOfColumnsWithGaps checks vectors with gaps of NaN between their columns. The ratios must
// be those without gaps, for dense and for bidiagonal matrices.
func TestCheckOfColumnsWithGaps(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx, small := context.Background(), tuning.Smallest()
	compare := func(what string, res *Result[float64], check func() (Ratios, error)) {
		t.Helper()
		want, err := check()
		if err != nil || !want.Passed() || want.Residual == 0 || want.Left == 0 || want.Right == 0 {
			t.Errorf("%s: %v, %v", what, want, err)
		}
		res.U, res.V = withGaps(res.U), withGaps(res.V)
		if got, err := check(); err != nil || got != want {
			t.Errorf("%s: %v, %v, without gaps %v", what, got, err, want)
		}
	}
	opt := Options{U: Thin, V: Thin, Largest: 7, Tuning: &small}
	for _, shape := range [][2]int{{17, 17}, {23, 14}, {14, 23}} {
		m, n := shape[0], shape[1]
		p := densePlan[float64](t, m, n, opt)
		a, _ := families[0].make(m, n, false)
		res, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		compare(fmt.Sprintf("%d×%d", m, n), res, func() (Ratios, error) { return p.Check(ctx, a, res) })
	}
	const n = 17
	p, err := NewBidiagonalPlan[float64](testDevice(t), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, e := suite.BidiagonalFamilies[12].Make(n)
	c := Bidiagonal[float64]{d, e}
	res, err := p.Solve(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	compare("bidiagonal", res, func() (Ratios, error) { return p.Check(ctx, c, res) })
}

// TestCheckOfNoSVD checks results with A·V = U·Σ and orthogonal vectors whose values are not the
// singular values: negative, unsorted or missing. The residual must be +Inf.
func TestCheckOfNoSVD(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	const m, n = 12, 7
	p, err := NewPlan[float64](testDevice(t), m, n, Options{U: Thin, V: Thin})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a, _ := families[0].make(m, n, false)
	for name, spoil := range map[string]func(*Result[float64]){
		"all negative": func(r *Result[float64]) {
			for j := range r.Values {
				negate(r, j)
			}
		},
		"the last negative": func(r *Result[float64]) { negate(r, n-1) },
		"two exchanged": func(r *Result[float64]) {
			r.Values[2], r.Values[3] = r.Values[3], r.Values[2]
			for _, z := range []*evd.Dense[float64]{r.U, r.V} {
				second := slices.Clone(z.Col(2))
				copy(z.Col(2), z.Col(3))
				copy(z.Col(3), second)
			}
		},
		"none": func(r *Result[float64]) {
			r.Values, r.U, r.V = nil, &evd.Dense[float64]{Rows: m, Ld: m}, &evd.Dense[float64]{Rows: n, Ld: n}
		},
	} {
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		spoil(res)
		r, err := p.Check(context.Background(), a, res)
		if err != nil || !math.IsInf(r.Residual, 1) || !(r.Left <= ratioLimit && r.Right <= ratioLimit) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// negate changes the signs of singular value j and of left vector j. The equation A·V = U·Σ still
// holds, although the value is wrong.
func negate(r *Result[float64], j int) {
	r.Values[j] = -r.Values[j]
	for i, x := range r.U.Col(j) {
		r.U.Col(j)[i] = -x
	}
}

// TestRank computes the numerical ranks of matrices whose ranks are known.
func TestRank(t *testing.T) {
	p, err := NewPlan[float64](testDevice(t), 30, 20, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for f, want := range map[int]int{0: 20, 1: 0, 3: 1, 4: 2} {
		a, _ := families[f].make(30, 20, false)
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Rank(-1); got != want {
			t.Errorf("%s: rank %d, want %d", families[f].name, got, want)
		}
		if all := res.Rank(0); all < want {
			t.Errorf("%s: %d values above 0", families[f].name, all)
		}
	}
}

// TestCheckRefusesVectorsOfOtherShapes gives Check vectors that the plan does not compute, that are
// row-major, or whose number is not that of the values or is larger than Options.Largest.
func TestCheckRefusesVectorsOfOtherShapes(t *testing.T) {
	const n = 6
	opt := Options{V: Thin, Largest: 4}
	dense, err := NewPlan[float64](testDevice(t), n, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer dense.Close()
	bidiagonal, err := NewBidiagonalPlan[float64](testDevice(t), n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer bidiagonal.Close()
	vectors := func(cols int) *evd.Dense[float64] {
		return &evd.Dense[float64]{Rows: n, Cols: cols, Ld: n, Data: make([]float64, n*n)}
	}
	rows := vectors(4)
	rows.RowMajor = true
	values := func(k int) []float64 { return make([]float64, k) }
	a, c := *vectors(n), Bidiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	for name, res := range map[string]*Result[float64]{
		"left vectors": {Values: values(4), U: vectors(4), V: vectors(4)}, "row-major": {Values: values(4), V: rows},
		"few": {Values: values(4), V: vectors(3)}, "many": {Values: values(3), V: vectors(4)},
		"more than the plan's": {Values: values(5), V: vectors(5)},
	} {
		var shape *ShapeError
		if _, err := dense.Check(context.Background(), a, res); !errors.As(err, &shape) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := bidiagonal.Check(context.Background(), c, res); !errors.As(err, &shape) {
			t.Errorf("bidiagonal, %s: %v", name, err)
		}
	}
}
