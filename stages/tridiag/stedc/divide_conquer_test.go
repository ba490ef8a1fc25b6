package stedc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// newDivideConquer makes a DivideConquer stage and the matrix products that the stage uses.
func newDivideConquer(dev *vk.Device, n int, tune Tables) (*DivideConquer, product.Ops[float64], error) {
	ops, err := product.New[float64](dev, tune.Products)
	if err != nil {
		return nil, nil, err
	}
	s, err := NewDivideConquer(dev, n, ops, tune.Products, tune.DivideConquer)
	return s, ops, err
}

// solveTridiagonal runs DivideConquer on the device and returns the eigenvalues, and the
// eigenvectors as columns.
func solveTridiagonal(t *testing.T, tune Tables, d, e []float64) (values, z []float64) {
	t.Helper()
	dev, n := stagetest.Device(t), len(d)
	s, ops, err := newDivideConquer(dev, n, tune)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*n)
	ws := stagetest.Arena(t, dev, vk.Together(x, s.Work(), ops.Work()))
	values, _, err = s.Solve(context.Background(), ws, d, e, stages.NewMatrix(x.In(ws), n, n, max(n, 1)))
	if err != nil {
		t.Fatal(err)
	}
	xt := stagetest.Get(t, dev, x.In(ws))
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
func solveTridiagonalValues(t *testing.T, tune Tables, d, e []float64) []float64 {
	t.Helper()
	s, err := NewDivideConquerValues(stagetest.Device(t), len(d), tune.DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := s.Solve(context.Background(), stagetest.Arena(t, stagetest.Device(t), s.Work()), d, e)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// checkTridiagonal solves a tridiagonal matrix with and without eigenvectors, and checks the
// results. The eigenvalues of both must have the same bits. It returns LAPACK's ratios of the
// vectors.
func checkTridiagonal(t *testing.T, name string, tune Tables, d, e []float64) (residual, orthogonality float64) {
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
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range []int{1, 2, 3, 7, 50} {
			d, e := kind.Tridiagonal(n)
			checkTridiagonal(t, fmt.Sprintf("%s/%d", kind.Name(), n), SmallestTuning(), d, e)
		}
	}
}

func TestDivideConquerOfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for n := 0; n <= 64; n++ {
		d, e := stagetest.RandomTridiagonal(n, 1)
		checkTridiagonal(t, fmt.Sprint(n), SmallestTuning(), d, e)
	}
}

// TestDivideConquerInEveryTuning solves tridiagonal matrices with the rows DivideConquer of the
// tuning tables for NVIDIA, for processors and for unknown devices.
func TestDivideConquerInEveryTuning(t *testing.T) {
	when.Long(t, "the tests with the smallest sizes of kernels")
	glued := matgen.GluedWilkinson(1e-12)
	for _, family := range []string{"nvidia", "cpu", ""} {
		tune := SmallestTuning()
		tune.DivideConquer = tuningFor(family).DivideConquer
		tune.Products = TuningFor(stagetest.Device(t).Info()).Products
		for _, n := range []int{31, 127, 128, 129, 300} {
			d, e := stagetest.RandomTridiagonal(n, 2)
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
	when.Many(t, "the same kernels with other numbers")
	stagetest.SplitTridiagonals(67, func(name string, d, e []float64) { checkTridiagonal(t, name, SmallestTuning(), d, e) })
	for _, cuts := range [][]int{{30}, {60}, {33, 66}, {1, 2, 98}, {10, 85}, {49}, {50}, {51}} {
		d, e := stagetest.RandomTridiagonal(100, 4)
		for _, c := range cuts {
			e[c-1] = 0
		}
		checkTridiagonal(t, fmt.Sprint("cut at ", cuts), SmallestTuning(), d, e)
	}
}

func TestDivideConquerOfScaledMatrices(t *testing.T) {
	stagetest.ScaledTridiagonals(func(name string, d, e []float64) { checkTridiagonal(t, name, SmallestTuning(), d, e) })
}

// TestDivideConquerAgreesWithTwin compares the eigenvalues that the device finds with those of
// three other solvers, and the vectors with Cuppen's. The back end in plain Go gives the same
// values except for the last bits, because its sums have another order. Bisection and Cuppen's
// method in package ref share no code with the stage or with package dc.
func TestDivideConquerAgreesWithTwin(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
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
	d, e := stagetest.RandomTridiagonal(120, 6)
	values, z := solveTridiagonal(t, SmallestTuning(), d, e)
	for range 3 {
		again, zAgain := solveTridiagonal(t, SmallestTuning(), d, e)
		if !slices.Equal(values, again) || !slices.Equal(z, zAgain) {
			t.Fatal("other bits")
		}
	}
}

// TestDivideConquerOfRanges checks that a solve for a range of vectors gives the same vectors as a
// solve for all vectors, up to rounding errors. In some cases one block is most of T, and in others
// every block is small.
func TestDivideConquerOfRanges(t *testing.T) {
	const n = 60
	for _, cut := range []int{0, 20, 30} {
		d, e := stagetest.RandomTridiagonal(n, 8)
		if cut > 0 {
			e[cut-1] = 0
		}
		values, z := solveTridiagonal(t, SmallestTuning(), d, e)
		s, ops, err := newDivideConquer(stagetest.Device(t), n, SmallestTuning())
		if err != nil {
			t.Fatal(err)
		}
		x := vk.Reserve[float64]("X", n*n)
		ws := stagetest.Arena(t, stagetest.Device(t), vk.Together(x, s.Work(), ops.Work()))
		for _, r := range [][2]int{{0, 1}, {59, 60}, {7, 31}, {0, 60}} {
			m := r[1] - r[0]
			got, _, err := s.SolveRange(context.Background(), ws, d, e, r[0], r[1], stages.NewMatrix(x.In(ws), m, n, m))
			if err != nil || !slices.Equal(got, values) {
				t.Fatalf("range %v: other values (%v)", r, err)
			}
			xt := stagetest.Get(t, stagetest.Device(t), x.In(ws))
			for j := range m {
				for i := range n {
					if !(math.Abs(xt[j+i*m]-z[i+(r[0]+j)*n]) <= 1e-13) {
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
	s, err := NewDivideConquerValues(stagetest.Device(t), 4, SmallestTuning().DivideConquer)
	if err != nil {
		t.Fatal(err)
	}
	ws := stagetest.Arena(t, stagetest.Device(t), s.Work())
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
	tune := TuningFor(stagetest.Device(t).Info())
	for _, n := range stagetest.OrdersFrom(t, "VKEVD_CONQUER") {
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
// order 21, which has clusters of fifty eigenvalues or more. If the environment variable
// VKEVD_CONQUER is not set, the matrix has only ten copies.
func TestDivideConquerOfGluedWilkinson(t *testing.T) {
	copies := 10
	if os.Getenv("VKEVD_CONQUER") != "" {
		copies = 50
	}
	for _, glue := range []float64{1e-14, 1e-8, 1e-4} {
		d, e := matgen.GluedWilkinson(glue).Tridiagonal(21 * copies)
		checkTridiagonal(t, fmt.Sprint("glue ", glue), TuningFor(stagetest.Device(t).Info()), d, e)
	}
}

// TestMergeTilesCompileFast checks that the kernels for the products of merges have no long
// unrolled loops, because drivers compile such loops slowly. (A kernel with one long loop once made
// the preparation of the first solve with vectors take 13 s on an H200.)
func TestMergeTilesCompileFast(t *testing.T) {
	for _, family := range []string{"nvidia", "cpu", "other"} {
		table := tuningFor(family).Products
		for _, tile := range MergeTiles(table).Tiles {
			if tile.ThreadM*tile.ThreadN*tile.Unroll > maxUnrolled || tile.K%tile.Unroll != 0 {
				t.Errorf("%s: %v unrolls %d steps", family, tile, tile.Unroll)
			}
		}
		if !reflect.DeepEqual(table, tuningFor(family).Products) {
			t.Errorf("%s: the table itself changed", family)
		}
	}
}
