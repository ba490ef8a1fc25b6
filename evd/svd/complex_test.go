package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
)

// complexMatrix is an m×n matrix of complex numbers, by columns and without padding.
type complexMatrix struct {
	m, n int
	a    []complex128
}

func complexOf(m, n int, at func(i, j int) complex128) complexMatrix {
	x := complexMatrix{m, n, make([]complex128, m*n)}
	for j := range n {
		for i := range m {
			x.a[i+j*m] = at(i, j)
		}
	}
	return x
}

// complex returns a random matrix whose real and imaginary parts belong to the family.
func (f family) complex(m, n int) complexMatrix {
	re, im := rand.New(rand.NewPCG(uint64(m), uint64(n))), rand.New(rand.NewPCG(uint64(n), uint64(m)+7))
	return complexOf(m, n, func(i, j int) complex128 { return complex(f.at(re, i, j, m, n), f.at(im, i, j, m, n)) })
}

// storedAs stores the matrix by columns or by rows, in the type T. The padding is NaN.
func storedAs[T stagetest.Complex](x complexMatrix, rowMajor bool) evd.Dense[T] {
	a := evd.Dense[T]{Rows: x.m, Cols: x.n, Ld: x.m + 2, RowMajor: rowMajor}
	if rowMajor {
		a.Ld = x.n + 3
	}
	a.Data = slices.Repeat([]T{stagetest.NaN[T]()}, a.Ld*map[bool]int{true: x.m, false: x.n}[rowMajor])
	for i := range x.m {
		for j := range x.n {
			at := i + j*a.Ld
			if rowMajor {
				at = i*a.Ld + j
			}
			a.Data[at] = T(x.a[i+j*x.m])
		}
	}
	return a
}

// rounds returns the matrix with each entry rounded to T.
func rounds[T stagetest.Complex](x complexMatrix) complexMatrix {
	return complexMatrix{x.m, x.n, stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](x.a))}
}

// embedded returns the real matrix [Re −Im; Im Re], which has each singular value twice.
func (x complexMatrix) embedded() *mat.Dense {
	if x.m == 0 || x.n == 0 {
		return nil
	}
	g := mat.NewDense(2*x.m, 2*x.n, nil)
	for i := range x.m {
		for j := range x.n {
			z := x.a[i+j*x.m]
			g.Set(i, j, real(z))
			g.Set(i+x.m, j+x.n, real(z))
			g.Set(i+x.m, j, imag(z))
			g.Set(i, j+x.n, -imag(z))
		}
	}
	return g
}

// values returns the singular values, which gonum finds for the embedded matrix.
func (x complexMatrix) values(t *testing.T) (values []float64) {
	t.Helper()
	for i, v := range wanted(t, x.embedded()) {
		if i%2 == 0 {
			values = append(values, v)
		}
	}
	return values
}

// complexDecomposed checks that `res` is a singular value decomposition of x, which must hold
// numbers of T. The ratios must be small, and values and vectors must have the sizes and the phases
// that `opt` asks for.
func complexDecomposed[T stagetest.Complex](t *testing.T, what string, x complexMatrix, opt Options, res *Result[T]) {
	t.Helper()
	limit, k := ratioLimit*stagetest.EpsilonOf[T]()/ratio.Ulp, len(res.Values)
	columns := func(z *evd.Dense[T]) []complex128 { return stagetest.ComplexOf[complex128](z.Data) }
	for _, c := range []struct {
		name   string
		z      *evd.Dense[T]
		wanted Vectors
		rows   int
	}{{"U", res.U, opt.U, x.m}, {"V", res.V, opt.V, x.n}} {
		cols := k
		if c.wanted == Full {
			cols = c.rows
		}
		if (c.z == nil) != (c.wanted == None) || c.z != nil && (c.z.Rows != c.rows || c.z.Cols != cols) {
			t.Fatalf("%s: %s is %v", what, c.name, c.z)
		}
		if c.z != nil {
			if r := ratio.Orthogonality(c.rows, cols, columns(c.z), c.z.Ld); !(r < limit) {
				t.Errorf("%s: orthogonality of %s: %.3g", what, c.name, r)
			}
		}
	}
	if res.U != nil && res.V != nil && k > 0 {
		if r := ratio.SingularResidual(x.m, x.n, k, x.a, x.m, res.Values, columns(res.U), res.U.Ld, columns(res.V), res.V.Ld); !(r < limit) {
			t.Errorf("%s: residual %.3g", what, r)
		}
	}
	decides := res.V
	if decides == nil {
		decides = res.U
	}
	for j := 0; decides != nil && j < decides.Cols; j++ {
		top, right := 0.0, false
		for _, z := range decides.Col(j) {
			top = max(top, cmplx.Abs(complex128(z)))
		}
		for _, z := range decides.Col(j) { // several components may have the largest magnitude, up to rounding errors
			right = right || real(complex128(z)) >= top*(1-1e-6) && imag(complex128(z)) == 0
		}
		if !right {
			t.Errorf("%s: no largest component of column %d is real and positive: %v", what, j, decides.Col(j))
			break
		}
	}
}

func complexPlan[T stagetest.Complex](t *testing.T, m, n int, opt Options) *Plan[T] {
	t.Helper()
	p, err := NewPlan[T](testDevice(t), m, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func solveComplex[T stagetest.Complex](t *testing.T, x complexMatrix, opt Options) *Result[T] {
	t.Helper()
	if opt.Tuning == nil {
		small := tuning.Smallest()
		opt.Tuning = &small
	}
	p := complexPlan[T](t, x.m, x.n, opt)
	defer p.Close()
	res, err := p.Solve(context.Background(), storedAs[T](x, false))
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// nearComplex does the same as `near` for values in the unit of T, compared with those of an
// embedded real matrix.
func nearComplex[T stagetest.Complex](t *testing.T, what string, m, n int, got, want []float64) {
	t.Helper()
	nearIn(t, what, 2*m, 2*n, got, want, stagetest.EpsilonOf[T]())
}

// complexShapes are shapes at the edges of the smallest bands (4), of blocks (8), of leaves and of
// tall matrices.
var complexShapes = [][2]int{
	{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {1, 3}, {3, 3}, {4, 3}, {3, 4}, {4, 4}, {5, 4}, {4, 5}, {5, 5}, {8, 7},
	{7, 8}, {8, 8}, {9, 8}, {9, 9}, {7, 9}, {10, 16}, {16, 10}, {17, 16}, {17, 17}, {16, 17}, {17, 13}, {33, 33}, {40, 3}, {3, 40}, {50, 49}, {61, 37}, {13, 27}, {61, 20},
}

// TestComplexVectors solves complex matrices of several families, stored by columns and by rows. The
// vectors are none, the thin ones, all, or those of one side. For each order of storage the values
// must have the same bits for all choices of vectors. Up to rounding, they must be those of the
// embedded real matrix.
func TestComplexVectors(t *testing.T) {
	stagetest.EachComplex(t, testComplexVectors[complex128], testComplexVectors[complex64])
}

func testComplexVectors[T stagetest.Complex](t *testing.T) {
	small := tuning.Smallest()
	wide := families
	if stagetest.EpsilonOf[T]() > 1e-10 {
		wide = slices.DeleteFunc(slices.Clone(families), func(f family) bool { return f.name == "large" || f.name == "small" || f.name == "subnormal" })
	}
	for i, shape := range complexShapes {
		m, n := shape[0], shape[1]
		all := []family{families[0], wide[i%len(wide)], wide[(i+5)%len(wide)]}
		if m == 17 || m == 61 {
			all = wide
		}
		var values [2][][]float64
		for row, rowMajor := range []bool{false, true} {
			values[row] = make([][]float64, len(all))
			for _, opt := range []Options{{}, {U: Thin, V: Thin}, {U: Full, V: Full}, {U: Thin}, {V: Full}} {
				opt.Tuning = &small
				p := complexPlan[T](t, m, n, opt)
				for f, family := range all {
					x := rounds[T](family.complex(m, n))
					what := fmt.Sprintf("%d×%d %s, U %v, V %v, row-major %v", m, n, family.name, opt.U, opt.V, rowMajor)
					res, err := p.Solve(context.Background(), storedAs[T](x, rowMajor))
					if err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					if values[row][f] == nil {
						values[row][f] = res.Values
						nearComplex[T](t, what, m, n, res.Values, x.values(t))
					} else if !slices.Equal(values[row][f], res.Values) {
						t.Errorf("%s: other values than without vectors", what)
					}
					complexDecomposed(t, what, x, opt, res)
				}
				p.Close()
			}
		}
	}
}

// unitaryOf returns a random unitary matrix: orthogonal matrices with random phases between them.
func unitaryOf(r *rand.Rand, n int) []complex128 {
	p, q, d := randomOrthogonal(r, n), randomOrthogonal(r, n), matgen.Phases(n, r)
	u := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				u[i+j*n] += complex(p.At(i, k)*q.At(k, j), 0) * d[k]
			}
		}
	}
	return u
}

// complexDriverType returns an m×n matrix of a type of LAPACK's test zdrvbd, as driverTypes does:
// zero (c = 0), the identity (1), or U·D·V with random unitary matrices U and V (2).
func complexDriverType(c int, m, n int) complexMatrix {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	k := min(m, n)
	if c < 2 {
		return complexOf(m, n, func(i, j int) complex128 { return map[bool]complex128{true: complex(float64(c), 0)}[i == j] })
	}
	u, v := unitaryOf(r, m), unitaryOf(r, n)
	return complexOf(m, n, func(i, j int) (z complex128) {
		for l := range k {
			z += u[i+l*m] * cmplx.Conj(v[j+l*n]) * complex(1-float64(l)/float64(max(k-1, 1))*(1-0x1p-52), 0)
		}
		return z
	})
}

// TestComplexDriverTypes solves all types of LAPACK's zdrvbd, with the shapes of its input file and
// at edges of the smallest tiles, without vectors, with thin ones and with all.
func TestComplexDriverTypes(t *testing.T) {
	when.Many(t, "TestComplexVectors, with other numbers")
	small := tuning.Smallest()
	for _, shape := range slices.Concat(pairs, [][2]int{{2, 2}, {5, 4}, {9, 8}, {17, 16}, {50, 49}, {40, 3}, {3, 40}}) {
		m, n := shape[0], shape[1]
		if m == 0 || n == 0 {
			continue // TestComplexVectors tests matrices without entries
		}
		values := make([][]float64, len(driverTypes))
		for _, vectors := range []Vectors{None, Thin, Full} {
			opt := Options{U: vectors, V: vectors, Tuning: &small}
			p := complexPlan[complex128](t, m, n, opt)
			for i, c := range driverTypes {
				what := fmt.Sprintf("%d×%d, vectors %d, type %s", m, n, vectors, c.name)
				x := complexDriverType(min(i, 2), m, n)
				want := x.values(t)
				for l, z := range x.a {
					x.a[l] = complex(real(z)*c.scale, imag(z)*c.scale)
				}
				res, err := p.Solve(context.Background(), storedAs[complex128](x, i%2 == 0))
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if values[i] == nil {
					values[i] = res.Values
					nearScaled(t, what, res.Values, want, c.scale)
				} else if !slices.Equal(values[i], res.Values) {
					t.Errorf("%s: other values than without vectors", what)
				}
				complexDecomposed(t, what, x, opt, res)
			}
			p.Close()
		}
	}
}

// sameValues compares singular values of two solvers, each of which may have the error n·ε·σ₁.
func sameValues(t *testing.T, what string, got, want []float64) {
	t.Helper()
	near(t, what, len(want), len(want), got, want)
}

// TestTurnedComplexMatrices solves A, conj(A), i·A and D1·A·D2ᴴ with diagonal unitary D1 and D2.
// They have the same singular values, and known vectors.
func TestTurnedComplexMatrices(t *testing.T) {
	for _, shape := range [][2]int{{23, 23}, {29, 13}, {13, 29}, {61, 20}} {
		m, n := shape[0], shape[1]
		opt, x := Options{U: Thin, V: Thin, Block: 12}, families[0].complex(m, n) // with this Block, a block has three panels
		d1, d2 := matgen.Phases(m, rand.New(rand.NewPCG(1, 2))), matgen.Phases(n, rand.New(rand.NewPCG(3, 4)))
		want := solveComplex[complex128](t, x, opt)
		for _, c := range []struct {
			name string
			of   func(i, j int, z complex128) complex128
			u, v func(i int, z complex128) complex128
		}{
			{"conj(A)", func(_, _ int, z complex128) complex128 { return cmplx.Conj(z) },
				func(_ int, z complex128) complex128 { return cmplx.Conj(z) }, func(_ int, z complex128) complex128 { return cmplx.Conj(z) }},
			{"i·A", func(_, _ int, z complex128) complex128 { return 1i * z },
				func(_ int, z complex128) complex128 { return 1i * z }, func(_ int, z complex128) complex128 { return z }},
			{"D1·A·D2ᴴ", func(i, j int, z complex128) complex128 { return d1[i] * z * cmplx.Conj(d2[j]) },
				func(i int, z complex128) complex128 { return d1[i] * z }, func(i int, z complex128) complex128 { return d2[i] * z }},
		} {
			y := complexOf(m, n, func(i, j int) complex128 { return c.of(i, j, x.a[i+j*m]) })
			got, what := solveComplex[complex128](t, y, opt), fmt.Sprintf("%d×%d, %s", m, n, c.name)
			sameValues(t, what, got.Values, want.Values)
			complexDecomposed(t, what, y, opt, got)
			for k := range want.Values {
				// The columns are unique up to a phase, which is the same on both sides.
				u, v := turnedProduct(got.U.Col(k), want.U.Col(k), c.u), turnedProduct(got.V.Col(k), want.V.Col(k), c.v)
				if !(cmplx.Abs(u-v) <= 1e-10 && math.Abs(cmplx.Abs(u)-1) <= 1e-10) {
					t.Errorf("%s: the products of vectors %d are %v and %v", what, k, u, v)
				}
			}
		}
	}
}

// turnedProduct returns xᴴ·of(y).
func turnedProduct(x, y []complex128, of func(i int, z complex128) complex128) (sum complex128) {
	for i := range x {
		sum += cmplx.Conj(x[i]) * of(i, y[i])
	}
	return sum
}

// TestRealInComplexStorage solves real and purely imaginary matrices as complex ones. The values
// must be those of the real plan, and the vectors real (V), and real or imaginary (U).
func TestRealInComplexStorage(t *testing.T) {
	for _, shape := range [][2]int{{21, 21}, {29, 13}, {13, 29}, {60, 20}} {
		m, n := shape[0], shape[1]
		small := tuning.Smallest()
		p, err := NewPlan[float64](testDevice(t), m, n, Options{U: Thin, V: Thin, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for _, f := range families {
			a, g := f.make(m, n, false)
			want, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			for _, unit := range []complex128{1, 1i} {
				x := complexOf(m, n, func(i, j int) complex128 {
					return complex(g.At(i, j)*real(unit), g.At(i, j)*imag(unit))
				})
				res, what := solveComplex[complex128](t, x, Options{U: Thin, V: Thin}), fmt.Sprintf("%d×%d %s times %v", m, n, f.name, unit)
				near(t, what, m, n, res.Values, want.Values)
				complexDecomposed(t, what, x, Options{U: Thin, V: Thin}, res)
				if unit == 1 && slices.ContainsFunc(slices.Concat(res.U.Data, res.V.Data), func(z complex128) bool { return imag(z) != 0 }) {
					t.Errorf("%s: a vector is not real", what)
				}
			}
		}
	}
}

// TestRealEmbedding compares the values of complex matrices with those that the real plan finds for
// the embedded matrices, which have each of these values twice.
func TestRealEmbedding(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	small := tuning.Smallest()
	for _, shape := range [][2]int{{20, 20}, {25, 11}, {11, 25}} {
		m, n := shape[0], shape[1]
		p, err := NewPlan[float64](testDevice(t), 2*m, 2*n, Options{Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for _, f := range families {
			x := f.complex(m, n)
			twice, err := p.Solve(context.Background(), FromGonum(x.embedded()))
			if err != nil {
				t.Fatal(err)
			}
			var once []float64
			for i, v := range twice.Values {
				if i%2 == 0 {
					once = append(once, v)
				}
			}
			near(t, fmt.Sprintf("%d×%d %s", m, n, f.name), 2*m, 2*n, solveComplex[complex128](t, x, Options{}).Values, once)
		}
	}
}

// TestComplexSelections selects parts of the singular values, by index, as the largest ones and by
// intervals, with and without vectors. Values must be those of the whole results, bit for bit.
func TestComplexSelections(t *testing.T) {
	for _, shape := range [][2]int{{23, 23}, {29, 21}, {21, 29}, {60, 20}} {
		m, n := shape[0], shape[1]
		x := families[0].complex(m, n)
		for _, of := range []Vectors{None, Thin} {
			all := solveComplex[complex128](t, x, Options{U: of, V: of})
			selections := parts(all.Values)
			selections[[2]int{0, 5}] = nil // Options.Largest selects these values
			for part, list := range selections {
				options := []Options{{Largest: part[1]}}
				if list != nil {
					options = nil
				}
				for _, s := range list {
					options = append(options, Options{Select: s})
				}
				for _, opt := range options {
					opt.U, opt.V, opt.Certify = of, of, true
					res, what := solveComplex[complex128](t, x, opt), fmt.Sprintf("%d×%d, vectors %d, %+v, largest %d", m, n, of, opt.Select, opt.Largest)
					if !slices.Equal(res.Values, all.Values[part[0]:part[1]]) || len(res.Values) > 0 && res.First != part[0] {
						t.Errorf("%s: values %v from %d on", what, res.Values, res.First)
					}
					if !res.Certificate.Passed() {
						t.Errorf("%s: %v", what, res.Certificate)
					}
					complexDecomposed(t, what, x, opt, res)
				}
			}
		}
	}
}

// TestComplexVerify solves with Verify, also on the safe path, and checks the results by Check. A
// result whose vectors are conjugated or turned must not pass.
func TestComplexVerify(t *testing.T) {
	stagetest.EachComplex(t, testComplexVerify[complex128], testComplexVerify[complex64])
}

func testComplexVerify[T stagetest.Complex](t *testing.T) {
	small := tuning.Smallest()
	for _, c := range []struct {
		m, n     int
		rowMajor bool
		opt      Options
	}{
		{21, 21, false, Options{U: Thin, V: Thin}}, {21, 21, true, Options{U: Thin, V: Thin}}, {13, 24, false, Options{U: Full, V: Full}},
		{13, 24, true, Options{U: Thin, V: Thin}}, {60, 20, true, Options{U: Thin}}, {23, 19, false, Options{V: Thin, Largest: 7}}, {20, 20, false, Options{}},
	} {
		c.opt.Verify, c.opt.Tuning = true, &small
		p := complexPlan[T](t, c.m, c.n, c.opt)
		x := rounds[T](families[0].complex(c.m, c.n))
		a := storedAs[T](x, c.rowMajor)
		for _, safe := range []bool{false, true} {
			if safe {
				p.path.Now.steps.values.Method = spoiled{p.path.Now.steps.values.Method, spoils[0].spoil}
			}
			what := fmt.Sprintf("%+v, safe path %v", c, safe)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !res.Certificate.Passed() || res.Certificate.Safe != safe && !(stagetest.EpsilonOf[T]() >= 1e-10) {
				t.Errorf("%s: %v", what, res.Certificate)
			}
			complexDecomposed(t, what, x, c.opt, res)
			if c.opt.U == None && c.opt.V == None {
				continue
			}
			if r, err := p.Check(context.Background(), a, res); err != nil || !r.Passed() {
				t.Errorf("%s: check: %v, %v", what, r, err)
			}
			if res.U == nil || res.V == nil {
				continue
			}
			for name, spoil := range map[string]func(z T) T{
				"conjugated": func(z T) T { return T(cmplx.Conj(complex128(z))) }, "turned": func(z T) T { return T(1i * complex128(z)) },
				"real": func(z T) T { return T(complex(real(complex128(z)), 0)) },
			} {
				bad := *res
				u := *res.U
				u.Data, bad.U = slices.Clone(u.Data), &u
				for i, z := range u.Data {
					u.Data[i] = spoil(z)
				}
				if r, err := p.Check(context.Background(), a, &bad); err != nil || r.Passed() {
					t.Errorf("%s: %s U passes: %v, %v", what, name, r, err)
				}
			}
		}
	}
}

// TestComplexWaits solves without waits between workgroups, and with the device's own tuning. The
// solve without waits must give the bits of a solve with waits.
func TestComplexWaits(t *testing.T) {
	small, x := tuning.Smallest(), families[0].complex(41, 33)
	small.Waits.Wavefront = true
	opt := Options{U: Thin, V: Full}
	want := solveComplex[complex128](t, x, opt)
	opt.Tuning = &small
	waves := solveComplex[complex128](t, x, opt)
	if !slices.Equal(waves.Values, want.Values) || !slices.Equal(waves.U.Data, want.U.Data) || !slices.Equal(waves.V.Data, want.V.Data) {
		t.Error("without waits the results have other bits")
	}
	own := tuning.On(testDevice(t).Info())
	opt = Options{U: Thin, V: Thin, Certify: true, Tuning: &own}
	x = families[0].complex(90, 70)
	res := solveComplex[complex128](t, x, opt)
	complexDecomposed(t, "own tuning", x, opt, res)
	if !res.Certificate.Passed() {
		t.Errorf("own tuning: %v", res.Certificate)
	}
}

// TestComplexWideBand reduces matrices to a wide band. Passes make this band narrower before the
// bulge chasing.
func TestComplexWideBand(t *testing.T) {
	small := tuning.Smallest()
	small.ValuesFrom, small.Narrow.To, small.Narrow.Tile = 1, 4, 3
	for _, shape := range [][2]int{{40, 40}, {50, 33}, {33, 50}} {
		x := families[0].complex(shape[0], shape[1])
		p := complexPlan[complex128](t, x.m, x.n, Options{Band: 16, Certify: true, Tuning: &small})
		res, err := p.Solve(context.Background(), storedAs[complex128](x, false))
		if err != nil {
			t.Fatal(err)
		}
		if p.path.Now.steps.narrow == nil || !res.Certificate.Passed() {
			t.Errorf("%v: passes %v, %v", shape, p.path.Now.steps.narrow, res.Certificate)
		}
		nearComplex[complex128](t, fmt.Sprint(shape), x.m, x.n, res.Values, x.values(t))
	}
}

// TestComplexEmulatedProducts solves with products that emulate double precision on integer units.
func TestComplexEmulatedProducts(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for _, shape := range [][2]int{{50, 50}, {61, 37}, {13, 40}} {
		x := families[0].complex(shape[0], shape[1])
		opt := Options{U: Thin, V: Thin, Products: evd.ProductsEmulated}
		res, native := solveComplex[complex128](t, x, opt), solveComplex[complex128](t, x, Options{})
		values := solveComplex[complex128](t, x, Options{Products: evd.ProductsEmulated})
		what := fmt.Sprint(shape)
		complexDecomposed(t, what, x, opt, res)
		if res.Retried != nil || !slices.Equal(values.Values, res.Values) || slices.Equal(values.Values, native.Values) {
			t.Errorf("%s: retried %v, values %v, alone %v, with native products %v", what, res.Retried, res.Values, values.Values, native.Values)
		}
		nearComplex[complex128](t, what, x.m, x.n, values.Values, x.values(t))
	}
}

// TestComplexRefuses checks the errors for options that complex plans do not have, and for entries
// that are not finite in one of their parts.
func TestComplexRefuses(t *testing.T) {
	d, option := testDevice(t), (*evd.OptionError)(nil)
	for name, opts := range map[string][]Options{
		"Storage": {{Storage: Half}}, "Moduli": {{Products: evd.ProductsEmulated, Moduli: 13}},
	} {
		for _, opt := range opts {
			if _, err := NewPlan[complex128](d, 20, 20, opt); !errors.As(err, &option) || option.Option != name {
				t.Errorf("%+v: %v", opt, err)
			}
			if _, err := NewPlan[complex64](d, 20, 20, opt); !errors.As(err, &option) || option.Option != name {
				t.Errorf("%+v in single precision: %v", opt, err)
			}
		}
	}
	if _, err := NewPlan[complex128](d, 20, 20, Options{Storage: Single}); !errors.As(err, &option) || !strings.Contains(err.Error(), "single precision is for real matrices only") {
		t.Errorf("single precision: %v", err)
	}
	if _, err := NewPlan[complex64](d, 20, 20, Options{Products: evd.ProductsEmulated}); !errors.As(err, &option) || option.Option != "Products" {
		t.Errorf("emulated products in single precision: %v", err)
	}
	for _, shape := range [][2]int{{9, 7}, {7, 9}, {9, 9}} {
		p := complexPlan[complex128](t, shape[0], shape[1], Options{})
		for _, rowMajor := range []bool{false, true} {
			for _, bad := range []complex128{complex(math.NaN(), 1), complex(1, math.NaN()), complex(math.Inf(-1), 0), complex(0, math.Inf(1))} {
				x := families[0].complex(shape[0], shape[1])
				x.a[3+5*x.m] = bad
				var notFinite *evd.NonFiniteError
				_, err := p.Solve(context.Background(), storedAs[complex128](x, rowMajor))
				if !errors.As(err, &notFinite) || notFinite.Row != 3 || notFinite.Col != 5 || !math.IsNaN(notFinite.Value) && !math.IsInf(notFinite.Value, 0) {
					t.Errorf("%v, row-major %v, %v at (3, 5): %v", shape, rowMajor, bad, err)
				}
			}
		}
	}
}

// TestComplexCosts compares the operations of a complex plan with those of a real plan of the same
// sizes. The complex plan must have the same numbers for the bidiagonal problem, and four times as
// many for every other stage.
func TestComplexCosts(t *testing.T) {
	small, dev := tuning.Smallest(), card(1<<40, 0)
	opt := Options{U: Thin, V: Thin, Tuning: &small}
	p, err := NewPlan[complex128](dev, 100, 40, opt)
	q, err2 := NewPlan[float64](dev, 100, 40, opt)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Costs() {
		times := 4.0
		if c.Stage == stages.PhaseBidiagonal || c.Stage == stages.PhaseBisection {
			times = 1
		}
		if want := q.Costs()[i]; c.Stage != want.Stage || c.Flops != times*want.Flops {
			t.Errorf("%+v, and of the real plan %+v", c, want)
		}
	}
	if p.Bytes() <= q.Bytes() || p.Bytes() > 2*q.Bytes()+1<<20 {
		t.Errorf("%d bytes, and for real numbers %d", p.Bytes(), q.Bytes())
	}
}

// TestComplexWithoutFloat64 solves the bidiagonal problem on the host: the device computes only in
// single precision.
func TestComplexWithoutFloat64(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	d, small := singleOnly(t), tuning.Smallest()
	for _, c := range []struct {
		m, n int
		opt  Options
	}{
		{40, 40, Options{U: Thin, V: Thin}}, {13, 24, Options{U: Full, V: Full}}, {60, 20, Options{U: Thin}},
		{45, 70, Options{V: Thin, Largest: 7}}, {1, 1, Options{U: Thin, V: Thin}}, {2, 3, Options{U: Full, V: Thin}},
	} {
		c.opt.Tuning, c.opt.Verify = &small, true
		p, err := NewPlan[complex64](d, c.m, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		x := rounds[complex64](families[0].complex(c.m, c.n))
		res, err := p.Solve(context.Background(), storedAs[complex64](x, c.m > c.n))
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%d×%d", c.m, c.n)
		if !res.Certificate.Passed() || res.Certificate.Safe {
			t.Errorf("%s: %v", what, res.Certificate)
		}
		complexDecomposed(t, what, x, c.opt, res)
	}
	if _, err := NewPlan[complex128](d, 20, 10, Options{}); err == nil {
		t.Error("a plan in double precision")
	}
}
