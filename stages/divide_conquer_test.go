package stages

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// newDivideConquer makes a DivideConquer stage and the matrix products that the stage uses.
func newDivideConquer(dev *vk.Device, n int, tune Tuning) (*DivideConquer, product.Ops[float64], error) {
	ops, err := product.New[float64](dev, tune.Products)
	if err != nil {
		return nil, nil, err
	}
	s, err := NewDivideConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	return s, ops, err
}

// solveTridiagonal runs DivideConquer on the device and returns the eigenvalues, and the
// eigenvectors as columns.
func solveTridiagonal(t *testing.T, tune Tuning, d, e []float64) (values, z []float64) {
	t.Helper()
	dev, n := testDevice(t), len(d)
	s, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*n)
	ws := arena(t, dev, vk.Together(x, s.Work(), ops.Work()))
	values, _, err = s.Solve(context.Background(), ws, d, e, NewMatrix(x.In(ws), n, n, max(n, 1)))
	if err != nil {
		t.Fatal(err)
	}
	xt := get(t, dev, x.In(ws))
	z = make([]float64, n*n)
	for r := range n {
		for c := range n {
			z[r+c*n] = xt[c+r*n]
		}
	}
	return values, z
}

// solveTridiagonalValues runs DivideConquerValues on the device, which finds eigenvalues without
// eigenvectors.
func solveTridiagonalValues(t *testing.T, tune Tuning, d, e []float64) []float64 {
	t.Helper()
	s, err := NewDivideConquerValues(testDevice(t), len(d), tune.DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := s.Solve(context.Background(), arena(t, testDevice(t), s.Work()), d, e)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// checkTridiagonal solves a tridiagonal matrix with and without eigenvectors, and returns LAPACK's
// ratios of the results.
func checkTridiagonal(t *testing.T, name string, tune Tuning, d, e []float64) (residual, orthogonality float64) {
	t.Helper()
	n := len(d)
	values, z := solveTridiagonal(t, tune, d, e)
	residual, orthogonality = ratio.TridiagonalResidual(d, e, values, z, n), ratio.Orthogonality(n, n, z, n)
	if !(residual < 10 && orthogonality < 10) {
		t.Errorf("%s: residual %.3g, orthogonality %.3g", name, residual, orthogonality)
	}
	if err := ratio.Sturm(d, e, values, ratio.Within("dc")*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if only := solveTridiagonalValues(t, tune, d, e); !slices.Equal(only, values) {
		t.Errorf("%s: the values are others when vectors are not wanted", name)
	}
	return residual, orthogonality
}

func TestDivideConquerOnEveryKind(t *testing.T) {
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range []int{1, 2, 3, 7, 50} {
			d, e := kind.Tridiagonal(n)
			checkTridiagonal(t, fmt.Sprintf("%s/%d", kind.Name(), n), SmallestTuning(), d, e)
		}
	}
}

func randomTridiagonal(n int, seed uint64) (d, e []float64) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	for i := range d {
		d[i] = r.NormFloat64()
	}
	for i := range e {
		e[i] = r.NormFloat64()
	}
	return d, e
}

// splitTridiagonals calls the function `check` with tridiagonal matrices that have zeros in the
// off-diagonal e. Each zero splits the matrix into two blocks. For each place in e there is a
// matrix with one zero at this place. There are also matrices with several zeros: one for every
// `every`-th set of places.
func splitTridiagonals(every int, check func(name string, d, e []float64)) {
	const n = 13
	for mask := range 1 << (n - 1) {
		if mask&(mask-1) != 0 && mask%every != 0 {
			continue
		}
		d, e := randomTridiagonal(n, 3)
		for i := range e {
			if mask>>i&1 == 1 {
				e[i] = 0
			}
		}
		check(fmt.Sprintf("mask %b", mask), d, e)
	}
}

// scaledTridiagonals calls the function `check` with tridiagonal matrices whose elements have
// squares that overflow or underflow, or almost do.
func scaledTridiagonals(check func(name string, d, e []float64)) {
	for _, scale := range []float64{1e-300, 1e-150, 1e150, 1e300} {
		d, e := randomTridiagonal(77, 5)
		for i := range d {
			d[i] *= scale
		}
		for i := range e {
			e[i] *= scale
		}
		check(fmt.Sprint(scale), d, e)
	}
}

func TestDivideConquerOfEveryOrder(t *testing.T) {
	for n := 0; n <= 64; n++ {
		d, e := randomTridiagonal(n, 1)
		checkTridiagonal(t, fmt.Sprint(n), SmallestTuning(), d, e)
	}
}

// TestDivideConquerInEveryTuning solves tridiagonal matrices with the tuning tables of all device
// families, which have different sizes of leaves, panels and tiles.
func TestDivideConquerInEveryTuning(t *testing.T) {
	glued := matgen.GluedWilkinson(1e-12)
	for _, family := range []string{"nvidia", "cpu", ""} {
		tune := SmallestTuning()
		tune.DivideConquer = divideConquerTuning(family)
		tune.Products = TuningFor(testDevice(t).Info()).Products
		for _, n := range []int{31, 127, 128, 129, 300} {
			d, e := randomTridiagonal(n, 2)
			checkTridiagonal(t, fmt.Sprintf("%q random %d", family, n), tune, d, e)
			d, e = glued.Tridiagonal(n)
			checkTridiagonal(t, fmt.Sprintf("%q glued %d", family, n), tune, d, e)
		}
	}
}

// TestDivideConquerOfSplitMatrices solves tridiagonal matrices T with zeros in the off-diagonal,
// which split T into blocks. The test puts a zero in each place, and zeros in many sets of places.
// In some cases one block is most of T, and in others every block is small.
func TestDivideConquerOfSplitMatrices(t *testing.T) {
	splitTridiagonals(67, func(name string, d, e []float64) { checkTridiagonal(t, name, SmallestTuning(), d, e) })
	for _, cuts := range [][]int{{30}, {60}, {33, 66}, {1, 2, 98}, {10, 85}, {49}, {50}, {51}} {
		d, e := randomTridiagonal(100, 4)
		for _, c := range cuts {
			e[c-1] = 0
		}
		checkTridiagonal(t, fmt.Sprint("cut at ", cuts), SmallestTuning(), d, e)
	}
}

func TestDivideConquerOfScaledMatrices(t *testing.T) {
	scaledTridiagonals(func(name string, d, e []float64) { checkTridiagonal(t, name, SmallestTuning(), d, e) })
}

// TestDivideConquerAgreesWithTwin compares the eigenvalues that the device finds with those of
// three other solvers. The back end in plain Go gives the same values except for the last bits,
// because its sums have another order. Bisection and Cuppen's method in package ref share no code
// with the stage or with package dc.
func TestDivideConquerAgreesWithTwin(t *testing.T) {
	const n = 150
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range d {
		d[i] = math.Sin(float64(i * i))
	}
	for i := range e {
		e[i] = math.Cos(float64(3 * i * i))
	}
	tune := SmallestTuning()
	values, z := solveTridiagonal(t, tune, d, e)
	host, err := dc.Values(d, e, dc.Options{LeafSize: tune.DivideConquer.Leaf})
	if err != nil {
		t.Fatal(err)
	}
	cuppen, cuppenZ := ref.DivideConquer(d, e)
	for name, want := range map[string][]float64{"the host's": host, "bisection's": ref.Bisection(d, e),
		"Cuppen's": cuppen} {
		if r := ratio.Values(n, values, want, ratio.NormTridiagonal(d, e)); !(r < 0.1) {
			t.Errorf("values differ from %s by %g", name, r)
		}
	}
	if r := suite.Angle(d, e, cuppen, 0, z, cuppenZ); !(r < 1) {
		t.Errorf("vectors differ from Cuppen's by %g", r)
	}
}

func TestDivideConquerSameBits(t *testing.T) {
	d, e := randomTridiagonal(120, 6)
	values, z := solveTridiagonal(t, SmallestTuning(), d, e)
	for range 3 {
		again, zAgain := solveTridiagonal(t, SmallestTuning(), d, e)
		if !slices.Equal(values, again) || !slices.Equal(z, zAgain) {
			t.Fatal("other bits")
		}
	}
}

// TestDivideConquerOfRanges checks that a solve for a range of vectors gives the same rows as a
// solve for all vectors. In some cases one block is most of T, and in others every block is small.
func TestDivideConquerOfRanges(t *testing.T) {
	const n = 60
	for _, cut := range []int{0, 20, 30} {
		d, e := randomTridiagonal(n, 8)
		if cut > 0 {
			e[cut-1] = 0
		}
		values, z := solveTridiagonal(t, SmallestTuning(), d, e)
		s, ops, err := newDivideConquer(testDevice(t), n, SmallestTuning())
		if err != nil {
			t.Fatal(err)
		}
		x := vk.Reserve[float64]("X", n*n)
		ws := arena(t, testDevice(t), vk.Together(x, s.Work(), ops.Work()))
		for _, r := range [][2]int{{0, 1}, {59, 60}, {7, 31}, {0, 60}} {
			m := r[1] - r[0]
			got, _, err := s.SolveRange(context.Background(), ws, d, e, r[0], r[1], NewMatrix(x.In(ws), m, n, m))
			if err != nil || !slices.Equal(got, values) {
				t.Fatalf("range %v: other values (%v)", r, err)
			}
			xt := get(t, testDevice(t), x.In(ws))
			for j := range m {
				for i := range n {
					if math.Abs(xt[j+i*m]-z[i+(r[0]+j)*n]) > 1e-13 {
						t.Fatalf("cut at %d, range %v: element %d of vector %d is %g, want %g", cut, r, i, j,
							xt[j+i*m], z[i+(r[0]+j)*n])
					}
				}
			}
		}
	}
}

// TestDivideConquerReportsLeaf checks that the error names the rows of the leaf (the smallest
// subproblem) that cannot be solved.
func TestDivideConquerReportsLeaf(t *testing.T) {
	s, err := NewDivideConquerValues(testDevice(t), 4, SmallestTuning().DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	ws := arena(t, testDevice(t), s.Work())
	r := newDivideConquerRun(context.Background(), ws, &s.values)
	tree := dc.Tree{Leaves: []dc.Pair{{Lo: 0, N1: 2}, {Lo: 2, N1: 2}}}
	_, err = r.Values(tree, []float64{1, 2, math.NaN(), 3}, []float64{1, 0, 1, 0}, []int32{0, 1, 0, 1})
	var failed *NoConvergenceError
	if !errors.As(err, &failed) || failed.Lo != 2 || failed.Hi != 4 {
		t.Errorf("%v", err)
	}
}

// TestDivideConquerLarge solves orders that are too slow for make test. The environment variable
// VKEVD_CONQUER lists the orders: VKEVD_CONQUER=1000,4097.
func TestDivideConquerLarge(t *testing.T) {
	tune := TuningFor(testDevice(t).Info())
	for _, n := range ordersFrom(t, "VKEVD_CONQUER") {
		for _, kind := range matgen.Tridiagonals() {
			t.Run(fmt.Sprintf("%s/%d", kind.Name(), n), func(t *testing.T) {
				d, e := kind.Tridiagonal(n)
				r, o := checkTridiagonal(t, kind.Name(), tune, d, e)
				t.Logf("residual %.3g, orthogonality %.3g", r, o)
			})
		}
	}
}

// TestDivideConquerOfGluedWilkinson solves a matrix of fifty weakly coupled Wilkinson matrices of
// order 21, which has clusters of fifty eigenvalues. If the environment variable VKEVD_CONQUER is
// not set, the matrix has only ten copies.
func TestDivideConquerOfGluedWilkinson(t *testing.T) {
	copies := 10
	if os.Getenv("VKEVD_CONQUER") != "" {
		copies = 50
	}
	for _, glue := range []float64{1e-14, 1e-8, 1e-4} {
		d, e := matgen.GluedWilkinson(glue).Tridiagonal(21 * copies)
		checkTridiagonal(t, fmt.Sprint("glue ", glue), TuningFor(testDevice(t).Info()), d, e)
	}
}

// TestMergeTilesCompileFast checks that the kernels for the products of merges have no long
// unrolled loops, because drivers compile such loops slowly. (A kernel with one long loop once made
// the preparation of the first solve with vectors take 13 s on an H200.)
func TestMergeTilesCompileFast(t *testing.T) {
	for _, family := range []string{"nvidia", "cpu", "other"} {
		table := tuningFor(family).Products
		for _, tile := range mergeTiles(table).Tiles {
			if tile.ThreadM*tile.ThreadN*tile.Unroll > maxUnrolled || tile.K%tile.Unroll != 0 {
				t.Errorf("%s: %v unrolls %d steps", family, tile, tile.Unroll)
			}
		}
		if !reflect.DeepEqual(table, tuningFor(family).Products) {
			t.Errorf("%s: the table itself changed", family)
		}
	}
}
