package reduce

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestBandReduction checks band reductions of orders at and near the multiples of the
// half-bandwidth b and the block size k, with the smallest tuning.
func TestBandReduction(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	var orthogonal, similar stagetest.Worst
	for _, b := range []int{1, 2, 3, 4, 5, 8} {
		for _, k := range []int{b, 2 * b, 4 * b} {
			for _, n := range edges(b, k) {
				checkReduction(t, "random", n, b, k, SmallestTuning(), stagetest.Symmetric(n), &orthogonal, &similar)
			}
		}
	}
	orthogonal.AtMost(t, "‖I − Q1ᵀ·Q1‖", 10)
	similar.AtMost(t, "‖A − Q1·B·Q1ᵀ‖", 10)
}

// edges returns orders up to 50: small orders, and orders at and near multiples of the
// half-bandwidth b and the block size k.
func edges(b, k int) []int {
	n := []int{0, 1, 2, b, b + 1, b + 2, 2 * b, 2*b + 1, k, k + 1, k + b, k + b + 1, 2*k - 1, 2*k + 1, 2*k + b + 2, 37, 50}
	slices.Sort(n)
	n = slices.Compact(n)
	return slices.DeleteFunc(n, func(n int) bool { return n > 50 })
}

// TestBandReductionKinds checks band reductions of all kinds of dense matrices of package matgen.
func TestBandReductionKinds(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	const n, b, k = 43, 4, 8
	var orthogonal, similar stagetest.Worst
	for _, kind := range matgen.Dense() {
		checkReduction(t, kind.Name(), n, b, k, SmallestTuning(), kind.Dense(n), &orthogonal, &similar)
	}
	orthogonal.AtMost(t, "‖I − Q1ᵀ·Q1‖", 10)
	similar.AtMost(t, "‖A − Q1·B·Q1ᵀ‖", 10)
}

// TestBandReductionLarger checks a band reduction with several blocks of columns, with the device's
// own tuning.
func TestBandReductionLarger(t *testing.T) {
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const n, b, k = 257, 16, 64
	var orthogonal, similar stagetest.Worst
	checkReduction(t, "random", n, b, k, TuningFor(stagetest.Device(t).Info()), stagetest.Symmetric(n), &orthogonal, &similar)
	orthogonal.AtMost(t, "‖I − Q1ᵀ·Q1‖", 10)
	similar.AtMost(t, "‖A − Q1·B·Q1ᵀ‖", 10)
}

// TestBandReductionIsTheReference compares the reflectors, the band and the factors T with those of
// package ref.
func TestBandReductionIsTheReference(t *testing.T) {
	for _, s := range [][3]int{{33, 4, 8}, {50, 3, 9}, {29, 5, 20}, {20, 8, 8}} {
		n, b, k := s[0], s[1], s[2]
		dense := stagetest.Symmetric(n)
		y, band, factors := reduce(t, n, b, k, SmallestTuning(), dense)
		likeReference(t, n, b, k, dense, y, band, factors)
	}
}

// likeReference fails the test if the reflectors Y, the band and the factors T of the symmetric
// matrix `dense` differ from those that package ref computes.
func likeReference(t *testing.T, n, b, k int, dense, y, band, factors []float64) {
	t.Helper()
	a := slices.Clone(dense)
	wantBand, wantFactors := ref.BandReduction(n, b, k, a, n)
	for _, c := range []struct {
		name      string
		got, want []float64
	}{{"Y", y, a}, {"band", band, wantBand}, {"T", factors, wantFactors}} {
		for i := range c.want {
			if d := math.Abs(c.got[i] - c.want[i]); !(d < 1e-10) {
				t.Fatalf("n=%d b=%d k=%d: %s[%d] = %g, the reference has %g", n, b, k, c.name, i, c.got[i], c.want[i])
			}
		}
	}
}

// TestBandReductionRepeats checks that every run of a band reduction gives the same bits.
func TestBandReductionRepeats(t *testing.T) {
	const n, b, k = 50, 4, 8
	y, band, factors := reduce(t, n, b, k, SmallestTuning(), stagetest.Symmetric(n))
	y2, band2, factors2 := reduce(t, n, b, k, SmallestTuning(), stagetest.Symmetric(n))
	if !slices.Equal(y, y2) || !slices.Equal(band, band2) || !slices.Equal(factors, factors2) {
		t.Error("two runs differ")
	}
}

func TestBandReductionRefuses(t *testing.T) {
	d := stagetest.Device(t)
	for _, s := range [][3]int{{-1, 4, 8}, {10, 0, 8}, {10, 4, 0}, {10, 4, 6}, {10, 4, 2}, {10, panel.MaxPanel + 1, panel.MaxPanel + 1}} {
		if _, err := NewBandReduction[float64](d, BandSize{s[0], s[1], s[2]}, nil, stages.Waiting{}, SmallestTuning().Panel); err == nil {
			t.Errorf("n, b, k = %v was accepted", s)
		}
	}
}

// reduce runs the band reduction on the device. The input is the lower triangle of the symmetric or
// Hermitian matrix `dense`; the elements above the diagonal are NaN. reduce also checks where the
// results must be zero or one.
func reduce[T spirv.Scalar](t *testing.T, n, b, k int, tune Tables, dense []T) (y, band, factors []T) {
	t.Helper()
	lower := slices.Clone(dense)
	for j := range n {
		for i := range j {
			lower[i+j*n] = stagetest.NaN[T]()
		}
	}
	return reduceFrom(t, n, b, k, tune, lower, func(*vk.Recorder, product.Matrix[T]) {})
}

// reduceFrom does the same as reduce for a matrix that the function `load` converts to a lower
// triangle.
func reduceFrom[T spirv.Scalar](
	t *testing.T, n, b, k int, tune Tables, given []T, load func(rec *vk.Recorder, a product.Matrix[T]),
) (y, band, factors []T) {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[T](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewBandReduction(d, BandSize{n, b, k}, ops, tune.Waits.Waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	ld := max(n, 1) + n%2*3 // equal to the leading dimension of Z, which is max(n, 1), if n is even
	a := vk.Reserve[T]("A", ld*n)
	bb := vk.Reserve[T]("B", 2*b*n)
	tt := vk.Reserve[T]("T", r.Panels()*b*b)
	ws := stagetest.Arena(t, d, vk.Together(a, bb, tt, r.Work(), r.Status(), ops.Work()))
	stagetest.Put(t, d, a.In(ws), stagetest.Padded(n, n, given, ld))

	rec := vk.NewRecorder(d)
	matrix := product.NewMatrix(a.In(ws), n, n, ld)
	load(rec, matrix)
	r.Record(rec, ws, matrix, bb.In(ws), tt.In(ws))
	stagetest.Run(t, d, rec)
	for _, info := range stagetest.Get(t, d, r.Info(ws)) {
		if info != 0 {
			t.Fatalf("n=%d b=%d k=%d: INFO = %d", n, b, k, info)
		}
	}

	y, band, factors = stagetest.Unpadded(t, n, n, stagetest.Get(t, d, a.In(ws)), ld), stagetest.Get(t, d, bb.In(ws)), stagetest.Get(t, d, tt.In(ws))
	where := fmt.Sprintf("n=%d b=%d k=%d", n, b, k)
	checkReflectors(t, where, n, b, y)
	checkBand(t, where, n, b, band)
	for at, x := range factors {
		if i, l := at%b, at/b%b; stagetest.IsNaN(x) || i > l && x != 0 {
			t.Fatalf("%s: T[%d](%d, %d) = %v", where, at/(b*b), i, l, x)
		}
	}
	return y, band, factors
}

func checkReflectors[T spirv.Scalar](t *testing.T, where string, n, b int, y []T) {
	t.Helper()
	columns := ref.Panels(n, b) * b
	for j := range n {
		for i := range n {
			v, unit := y[i+j*n], T(0)
			if j < columns && i == j+b { // panel column l has its unit element in row l of the panel
				unit = 1
			}
			if stagetest.IsNaN(v) || (j >= columns || i <= j+b) && v != unit {
				t.Fatalf("%s: Y(%d, %d) = %v", where, i, j, v)
			}
		}
	}
}

func checkBand[T spirv.Scalar](t *testing.T, where string, n, b int, band []T) {
	t.Helper()
	for at, v := range band {
		if r, c := at%(2*b), at/(2*b); stagetest.IsNaN(v) || (r > b || c+r >= n) && v != 0 {
			t.Fatalf("%s: band(%d, %d) = %v", where, c+r, c, v)
		}
	}
}

func checkReduction(t *testing.T, name string, n, b, k int, tune Tables, dense []float64, orthogonal, similar *stagetest.Worst) {
	t.Helper()
	where := fmt.Sprintf("%s n=%d b=%d k=%d", name, n, b, k)
	y, band, factors := reduce(t, n, b, k, tune, dense)
	ofQ, ofA := reductionErrors(n, b, dense, y, band, factors)
	orthogonal.See(ofQ, where)
	similar.See(ofA, where)
}

// reductionErrors returns the errors of a band reduction A = Q1·B·Q1ᴴ by LAPACK's ratios. Package
// ref forms Q1 from the reflectors Y and the factors T.
func reductionErrors[T ref.Number](n, b int, dense, y, band, factors []T) (orthogonal, similar float64) {
	q := make([]T, n*n)
	for j := range n {
		q[j+j*n] = 1
	}
	ref.ApplyQ1(n, b, y, max(n, 1), factors, n, q, max(n, 1))
	lower := make([]T, n*n) // the lower triangle of B
	for c := range n {
		copy(lower[c+c*n:], band[c*2*b:c*2*b+min(b+1, n-c)])
	}
	return ratio.Orthogonality(n, n, q, max(n, 1)), similarity(n, dense, q, full(n, lower))
}

// full returns the Hermitian matrix whose lower triangle is stored in `lower`.
func full[T ref.Number](n int, lower []T) []T {
	a, one := slices.Clone(lower), []T{1}
	for c := range n {
		for r := c + 1; r < n; r++ {
			ref.Gemm(ref.Conj, ref.NoTrans, 1, 1, 1, 1, lower[r+c*n:], 1, one, 1, 0, a[c+r*n:], 1)
		}
	}
	return a
}

// similarity returns the error ‖A − Q·B·Qᴴ‖₁/(‖A‖₁·n·ulp) of a reduction of A to B.
func similarity[T ref.Number](n int, a, q, b []T) float64 {
	if n == 0 {
		return 0
	}
	qb, diff := make([]T, n*n), slices.Clone(a)
	ref.Gemm(ref.NoTrans, ref.NoTrans, n, n, n, 1, q, n, b, n, 0, qb, n)
	ref.Gemm(ref.NoTrans, ref.Adjoint, n, n, n, -1, qb, n, q, n, 1, diff, n)
	norm := max(ratio.Norm1(n, n, a, n), ratio.SafeMin)
	return ratio.Norm1(n, n, diff, n) / norm / (float64(n) * ratio.Ulp)
}
