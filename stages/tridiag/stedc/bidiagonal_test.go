package stedc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// conquered is a BidiagonalConquer stage with its memory on the device.
type conquered struct {
	s      *BidiagonalConquer
	dev    *vk.Device
	ws     *vk.Arena
	st, wt vk.Region[float64]
}

func newConquered(t testing.TB, n int, tune Tables) *conquered {
	t.Helper()
	dev := stagetest.Device(t)
	ops, err := product.New[float64](dev, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewBidiagonalConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	c := &conquered{s: s, dev: dev, st: vk.Reserve[float64]("S", n*n), wt: vk.Reserve[float64]("W", n*n)}
	c.ws = stagetest.Arena(t, dev, vk.Together(c.st, c.wt, s.Work(), ops.Work()))
	return c
}

// solve returns the singular values, and the vectors [from, to) of each side (left, then right) as
// a column-major n×m matrix, m = to − from. The matrix of a side is nil if its vectors are not
// wanted.
func (c *conquered) solve(t *testing.T, d, e []float64, from, to int, left, right bool) (values, s, w []float64) {
	t.Helper()
	n, m := len(d), to-from
	packed := func(r vk.Region[float64], wanted bool) (x stages.Matrix) {
		if wanted {
			x = stages.NewMatrix(r.In(c.ws), m, n, max(m, 1))
		}
		return x
	}
	values, _, err := c.s.SolveRange(context.Background(), c.ws, d, e, from, to, packed(c.st, left), packed(c.wt, right))
	if err != nil {
		t.Fatal(err)
	}
	columns := func(r vk.Region[float64], wanted bool) []float64 {
		if !wanted {
			return nil
		}
		xt, x := stagetest.Get(t, c.dev, r.In(c.ws)), make([]float64, n*m)
		for j := range m {
			for i := range n {
				x[i+j*n] = xt[j+i*m]
			}
		}
		return x
	}
	return values, columns(c.st, left), columns(c.wt, right)
}

// checkBidiagonal computes the singular value decomposition of a bidiagonal matrix. It fails the
// test if one of LAPACK's ratios of the result is too large, and returns the ratios.
func checkBidiagonal(t *testing.T, name string, c *conquered, d, e []float64) suite.BidiagonalRatios {
	t.Helper()
	n := len(d)
	values, s, w := c.solve(t, d, e, 0, n, true, true)
	r := suite.CheckBidiagonal(d, e, values, s, w, n)
	if !r.Below(suite.Limit) {
		t.Errorf("%s: %v", name, r)
	}
	return r
}

// TestBidiagonalConquerOnEveryFamily compares the values with those of the solver of package ref,
// which shares no code with the stage. LAPACK's ratios of the vectors must be below the limit.
func TestBidiagonalConquerOnEveryFamily(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	var worst suite.BidiagonalRatios
	for _, n := range []int{1, 2, 3, 7, 50} {
		c := newConquered(t, n, SmallestTuning())
		for _, f := range suite.BidiagonalFamilies {
			d, e := f.Make(n)
			name := fmt.Sprintf("%s/%d", f.Name, n)
			worst = worst.Max(checkBidiagonal(t, name, c, d, e))
			values, _, _ := c.solve(t, d, e, 0, 0, false, false)
			want, _, _ := ref.BidiagonalDivideConquer(d, e, 5)
			if off := ratio.Values(n, values, want, want[0]); want[0] != 0 && !(off < suite.Limit) {
				t.Errorf("%s: values differ by %g from the twin's", name, off)
			}
		}
	}
	t.Log(worst)
}

func TestBidiagonalConquerOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for n := 0; n <= 70; n++ {
		c := newConquered(t, n, SmallestTuning())
		d, e := stagetest.RandomTridiagonal(n, 1)
		checkBidiagonal(t, fmt.Sprint(n), c, d, e)
	}
}

// TestBidiagonalConquerInEveryTuning solves bidiagonal matrices with the rows DivideConquer of the
// tuning tables for NVIDIA, for processors and for unknown devices.
func TestBidiagonalConquerInEveryTuning(t *testing.T) {
	when.Long(t, "the tests with the smallest sizes of kernels")
	for _, family := range []string{"nvidia", "cpu", ""} {
		tune := SmallestTuning()
		tune.DivideConquer = tuningFor(family).DivideConquer
		tune.Products = TuningFor(stagetest.Device(t).Info()).Products
		for _, n := range []int{31, 127, 128, 129, 300} {
			c := newConquered(t, n, tune)
			for _, f := range suite.BidiagonalFamilies[15:] {
				d, e := f.Make(n)
				checkBidiagonal(t, fmt.Sprintf("%q %s %d", family, f.Name, n), c, d, e)
			}
		}
	}
}

// TestBidiagonalConquerOfSplitMatrices solves bidiagonal matrices C with zeros in the
// superdiagonal, which split C into blocks. The test puts a zero in each place, and zeros in many
// sets of places. In some cases one block is most of C, and in others every block is small.
func TestBidiagonalConquerOfSplitMatrices(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	c := newConquered(t, 13, SmallestTuning())
	stagetest.SplitTridiagonals(67, func(name string, d, e []float64) { checkBidiagonal(t, name, c, d, e) })
	c = newConquered(t, 100, SmallestTuning())
	for _, cuts := range [][]int{{30}, {60}, {33, 66}, {1, 2, 98}, {10, 85}, {49}, {50}, {51}} {
		d, e := stagetest.RandomTridiagonal(100, 4)
		for _, cut := range cuts {
			e[cut-1] = 0
		}
		checkBidiagonal(t, fmt.Sprint("cut at ", cuts), c, d, e)
	}
}

// TestBidiagonalConquerOfSingularMatrices solves bidiagonal matrices C of order 14 with zeros in
// the diagonal, which make C singular. The test puts a zero in each of the first 12 places, and
// zeros in many sets of these places.
func TestBidiagonalConquerOfSingularMatrices(t *testing.T) {
	when.Skip(t, when.Validation, "TestBidiagonalConquerOfRanges records the kernels")
	c := newConquered(t, 14, SmallestTuning())
	stagetest.SplitTridiagonals(67, func(name string, zeros, e []float64) {
		d, super := stagetest.RandomTridiagonal(14, 9)
		for i := range e {
			if e[i] == 0 {
				d[i] = 0
			}
		}
		checkBidiagonal(t, name, c, d, super)
	})
}

func TestBidiagonalConquerSameBits(t *testing.T) {
	const n = 120
	d, e := stagetest.RandomTridiagonal(n, 6)
	c := newConquered(t, n, SmallestTuning())
	values, s, w := c.solve(t, d, e, 0, n, true, true)
	for range 3 {
		again, s2, w2 := c.solve(t, d, e, 0, n, true, true)
		if !slices.Equal(values, again) || !slices.Equal(s, s2) || !slices.Equal(w, w2) {
			t.Fatal("other bits")
		}
	}
}

// TestBidiagonalConquerOfRanges checks that a solve for a range of vectors gives the same vectors
// as a solve for all vectors, up to rounding errors. In some cases one block is most of the matrix,
// and in others every block is small. The vectors of one side must have the same bits whether or
// not the other side is formed.
func TestBidiagonalConquerOfRanges(t *testing.T) {
	const n = 60
	c := newConquered(t, n, SmallestTuning())
	for _, cut := range []int{0, 20, 30} {
		d, e := stagetest.RandomTridiagonal(n, 8)
		if cut > 0 {
			e[cut-1] = 0
		}
		values, s, w := c.solve(t, d, e, 0, n, true, true)
		for _, r := range [][2]int{{0, 1}, {59, 60}, {7, 31}, {0, 60}, {5, 5}} {
			got, gotS, gotW := c.solve(t, d, e, r[0], r[1], true, true)
			if !slices.Equal(got, values) {
				t.Fatalf("range %v: other values", r)
			}
			for side, x := range map[string][2][]float64{"left": {gotS, s}, "right": {gotW, w}} {
				for i, got := range x[0] {
					if want := x[1][r[0]*n+i]; !(math.Abs(got-want) <= 1e-13) {
						t.Fatalf("cut at %d, range %v: element %d of %s vector %d is %g, want %g",
							cut, r, i%n, side, r[0]+i/n, got, want)
					}
				}
			}
		}
		if _, only, none := c.solve(t, d, e, 0, n, true, false); !slices.Equal(only, s) || none != nil {
			t.Error("left vectors differ without the right ones")
		}
		if _, none, only := c.solve(t, d, e, 0, n, false, true); !slices.Equal(only, w) || none != nil {
			t.Error("right vectors differ without the left ones")
		}
	}
}

// TestBidiagonalConquerRefuses checks that errors name the row and column of an element that is not
// finite. After an error the same stage must solve the next matrix.
func TestBidiagonalConquerRefuses(t *testing.T) {
	const n = 10
	c := newConquered(t, n, SmallestTuning())
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		d, e := stagetest.RandomTridiagonal(n, 1)
		e[4] = bad
		all := stages.NewMatrix(c.st.In(c.ws), n, n, n)
		_, _, err := c.s.Solve(context.Background(), c.ws, d, e, all, stages.Matrix{})
		var refused *bidiagonal.NonFiniteError
		if !errors.As(err, &refused) || refused.Row != 4 || refused.Col != 5 {
			t.Errorf("%v", err)
		}
		d, e = stagetest.RandomTridiagonal(n, 2)
		checkBidiagonal(t, "after an error", c, d, e)
	}
}

// TestBidiagonalConquerReportsLeaf checks that the error names the rows of the leaf (the smallest
// subproblem) that cannot be solved.
func TestBidiagonalConquerReportsLeaf(t *testing.T) {
	c := newConquered(t, 4, SmallestTuning())
	r := newConquerRounds(context.Background(), c.ws, &c.s.values)
	tree := dc.Tree{Leaves: []dc.Pair{{Lo: 0, N1: 2}, {Lo: 2, N1: 2}}}
	err := r.Leaves(tree, []float64{1, 2, math.NaN(), 3}, []float64{1, 0, 1, 0}, dc.NewRows(4))
	var failed *NoConvergenceError
	if !errors.As(err, &failed) || failed.Lo != 2 || failed.Hi != 4 {
		t.Errorf("%v", err)
	}
}

// TestBidiagonalLeavesFit checks that leaves, the smallest subproblems, have fewer rows on devices
// with little shared memory.
func TestBidiagonalLeavesFit(t *testing.T) {
	tune := tuningFor("nvidia").DivideConquer
	for shared, want := range map[int]int{48 << 10: 32, 16 << 10: 16} {
		if got := bidiagonalTuning(vk.Info{SharedBytes: shared}, tune); got.Leaf != want {
			t.Errorf("%d bytes: leaves of %d rows, want %d", shared, got.Leaf, want)
		}
	}
}

// TestBidiagonalConquerLarge solves orders that are too slow for make test. The environment
// variable VKEVD_CONQUER lists the orders: VKEVD_CONQUER=1000,4097.
func TestBidiagonalConquerLarge(t *testing.T) {
	tune := TuningFor(stagetest.Device(t).Info())
	for _, n := range stagetest.OrdersFrom(t, "VKEVD_CONQUER") {
		c := newConquered(t, n, tune)
		for _, f := range suite.BidiagonalFamilies[12:] {
			t.Run(fmt.Sprintf("%s/%d", f.Name, n), func(t *testing.T) {
				d, e := f.Make(n)
				t.Log(checkBidiagonal(t, f.Name, c, d, e))
			})
		}
	}
}

// TestBidiagonalLeafOfEqualValues checks that QR iteration ends on a leaf in which two singular
// values of a 3×3 block are equal and larger than the third one. (An earlier version always took
// the smaller value of the last two rows as the shift. An element of e then stayed at 11 roundoffs
// until the iteration gave up.)
func TestBidiagonalLeafOfEqualValues(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	d := []float64{
		8.881784197001252e-16, 2.842170943040401e-14, 7.105427357601002e-15, 4.656612873077393e-10,
		4.547473508864641e-13, 3.637978807091713e-12, 4.440892098500626e-16, 0, 5.820766091346741e-11,
		1.7763568394002505e-15, 3.0517578125e-05, 3.814697265625e-06, 5.960464477539063e-08,
		1.52587890625e-05, 1.4901161193847656e-08, 7.105427357601002e-15,
	}
	e := []float64{
		3.814697265625e-06, 1.1368683772161603e-13, 0.00048828125, 0.00048828125, 3.637978807091713e-12,
		0.0625, 0.0625, 0.015625, 3.814697265625e-06, 0.5, 2.220446049250313e-16, 8.881784197001252e-16,
		1.8189894035458565e-12, 4.440892098500626e-16, 1.4901161193847656e-08,
	}
	tune := SmallestTuning()
	tune.DivideConquer = tuningFor("nvidia").DivideConquer
	checkBidiagonal(t, "equal values", newConquered(t, len(d), tune), d, e)
}

// TestBidiagonalLeavesConverge checks that the iteration converges for leaves with equal values,
// and for leaves whose elements differ by many powers of ten. (An earlier version kept elements
// down to one roundoff, and did not end for ten equal values.)
func TestBidiagonalLeavesConverge(t *testing.T) {
	const n, leaf = 1600, 32
	tune := SmallestTuning()
	tune.DivideConquer = tuningFor("nvidia").DivideConquer
	c := newConquered(t, n, tune)
	var r *rand.Rand // a new generator for each kind, because the order of a map is not fixed
	wide := func() float64 { return math.Exp2(-60 * r.Float64()) }
	for name, at := range map[string]func() (d, e float64){
		"one value, nearly": func() (float64, float64) { return 1 + 4*ratio.Ulp*r.NormFloat64(), 4 * ratio.Ulp * r.NormFloat64() },
		"one value":         func() (float64, float64) { return 1, 4 * ratio.Ulp * r.NormFloat64() },
		"wide":              func() (float64, float64) { return wide(), wide() },
		"wide d":            func() (float64, float64) { return wide(), r.NormFloat64() },
		"wide e":            func() (float64, float64) { return r.NormFloat64(), wide() },
		"zeros":             func() (float64, float64) { return float64(r.IntN(3) - 1), float64(r.IntN(3) - 1) },
		"integers": func() (float64, float64) {
			e := float64(r.IntN(4))
			if r.IntN(2) == 0 {
				e = float64(1+r.IntN(61)) * ratio.Ulp
			}
			return float64(1 + r.IntN(3)), e
		},
	} {
		r = rand.New(rand.NewPCG(1, 2))
		d, e := make([]float64, n), make([]float64, n)
		for i := range d {
			if d[i], e[i] = at(); i%leaf == leaf-1 {
				e[i] = 0
			}
		}
		if _, _, err := c.s.Solve(context.Background(), c.ws, d, e, stages.Matrix{}, stages.Matrix{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
