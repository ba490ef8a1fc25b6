package reduce

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// complexErrors are the largest errors of band reductions of Hermitian matrices, in units of the
// precision of T. They are measured with A = Q1·B·Q1ᴴ. The eigenvalues of B would not suffice,
// because a band of conj(A) has the eigenvalues of A, too.
type complexErrors[T stagetest.Complex] struct{ orthogonal, similar stagetest.Worst }

// `of` reduces the lower triangle of the Hermitian matrix `dense`, and updates the largest errors.
// The imaginary parts of the diagonal are NaN.
func (e *complexErrors[T]) of(t *testing.T, name string, n, b, k int, tune Tables, dense []complex128) (y, band, factors []complex128) {
	t.Helper()
	given := stagetest.ComplexOf[T](dense)
	for j := range n {
		given[j+j*n] = T(complex(real(dense[j+j*n]), math.NaN()))
	}
	a, c, f := reduce(t, n, b, k, tune, given)
	return e.see(fmt.Sprintf("%s n=%d b=%d k=%d", name, n, b, k), n, b, dense, a, c, f)
}

func (e *complexErrors[T]) see(where string, n, b int, dense []complex128, a, c, f []T) (y, band, factors []complex128) {
	y, band, factors = stagetest.ComplexOf[complex128](a), stagetest.ComplexOf[complex128](c), stagetest.ComplexOf[complex128](f)
	ofQ, ofA := reductionErrors(n, b, dense, y, band, factors)
	unit := stagetest.EpsilonOf[T]() / ratio.Ulp
	e.orthogonal.See(ofQ/unit, where)
	e.similar.See(ofA/unit, where)
	return y, band, factors
}

func (e *complexErrors[T]) areSmall(t *testing.T) {
	t.Helper()
	e.orthogonal.AtMost(t, "‖I − Q1ᴴ·Q1‖", 10)
	e.similar.AtMost(t, "‖A − Q1·B·Q1ᴴ‖", 10)
}

// hermitian returns a random Hermitian matrix whose elements complex64 holds exactly.
func hermitian(n int) []complex128 {
	random := rand.New(rand.NewPCG(uint64(n), 35))
	a := make([]complex128, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			a[i+j*n] = stagetest.RandomComplex(random)
			if i == j {
				a[i+j*n] = complex(real(a[i+j*n]), 0)
			}
		}
	}
	return full(n, a)
}

// TestComplexBandReduction checks band reductions of Hermitian matrices, of orders at and near the
// multiples of the half-bandwidth b and the block size k, with the smallest tuning.
func TestComplexBandReduction(t *testing.T) {
	stagetest.EachComplex(t, testComplexBandReduction[complex128], testComplexBandReduction[complex64])
}

func testComplexBandReduction[T stagetest.Complex](t *testing.T) {
	var errors complexErrors[T]
	var distant stagetest.Worst // distance from the results of package ref
	for _, size := range [][2]int{{1, 2}, {3, 9}, {4, 4}, {4, 8}, {4, 16}, {8, 16}} {
		b, k := size[0], size[1]
		for _, n := range edges(b, k) {
			if n == 0 {
				continue
			}
			dense := hermitian(n)
			y, band, factors := errors.of(t, "random", n, b, k, SmallestTuning(), dense)
			a := slices.Clone(dense)
			wantBand, wantFactors := ref.BandReduction(n, b, k, a, n)
			for _, c := range []struct {
				name      string
				got, want []complex128
			}{{"Y", y, a}, {"band", band, wantBand}, {"T", factors, wantFactors}} {
				for i := range c.want {
					distant.See(cmplx.Abs(c.got[i]-c.want[i])/stagetest.EpsilonOf[T](), fmt.Sprintf("n=%d b=%d k=%d: %s", n, b, k, c.name))
				}
			}
		}
	}
	errors.areSmall(t)
	// The worst distance was 412 with the CPU driver. The matrices have norms up to 50.
	distant.AtMost(t, "distance from ref.BandReduction in units of ε", 1500)
}

// TestComplexBandReductionOfReals checks that the reduction of a real matrix in complex storage has
// no imaginary parts.
func TestComplexBandReductionOfReals(t *testing.T) {
	const n, b, k = 37, 4, 8
	dense := make([]complex128, n*n)
	for at, x := range stagetest.Symmetric(n) {
		dense[at] = complex(x, 0)
	}
	var errors complexErrors[complex128]
	y, band, factors := errors.of(t, "real", n, b, k, SmallestTuning(), dense)
	errors.areSmall(t)
	for _, z := range slices.Concat(y, band, factors) {
		if imag(z) != 0 {
			t.Fatalf("%v is not real", z)
		}
	}
}

// TestComplexBandReductionKinds checks band reductions of all kinds of Hermitian matrices of
// package matgen.
func TestComplexBandReductionKinds(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	const n, b, k = 43, 4, 8
	var errors complexErrors[complex128]
	for _, kind := range matgen.Hermitians() {
		errors.of(t, kind.Name(), n, b, k, SmallestTuning(), kind.Dense(n))
	}
	errors.areSmall(t)
}

// TestComplexBandReductionLarger checks band reductions with the half-bandwidth of GPUs. The panels
// have the sizes of the device's table, and those of NVIDIA's table with chunks that fit 32 KiB of
// shared memory. The products have small tiles, because the tiles of the tables suit only real
// numbers.
func TestComplexBandReductionLarger(t *testing.T) {
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	stagetest.EachComplex(t, testComplexBandReductionLarger[complex128], testComplexBandReductionLarger[complex64])
}

func testComplexBandReductionLarger[T stagetest.Complex](t *testing.T) {
	nvidia := TuningFor(roomtest.Family("nvidia"))
	nvidia.Panel.TileBytes = 9 << 10
	var errors complexErrors[T]
	for name, tune := range map[string]Tables{"own": TuningFor(stagetest.Device(t).Info()), "nvidia": nvidia} {
		tune.Products = SmallestTuning().Products
		for _, n := range []int{33, 64, 150} {
			errors.of(t, name, n, 32, 64, tune, hermitian(n))
		}
	}
	errors.areSmall(t)
}

// TestComplexBandReductionOfEachTriangle checks band reductions of matrices of which one triangle
// is stored, by columns or by rows. The other triangle is NaN.
func TestComplexBandReductionOfEachTriangle(t *testing.T) {
	stagetest.EachComplex(t, testComplexBandReductionOfEachTriangle[complex128], testComplexBandReductionOfEachTriangle[complex64])
}

func testComplexBandReductionOfEachTriangle[T stagetest.Complex](t *testing.T) {
	const n, b, k = 37, 4, 8
	mirror, err := move.NewSymmetricLoad[T](stagetest.Device(t))
	if err != nil {
		t.Fatal(err)
	}
	var errors complexErrors[T]
	dense := hermitian(n)
	for _, stored := range []move.Triangle{{}, {Upper: true}, {RowMajor: true}, {Upper: true, RowMajor: true}} {
		given := make([]T, n*n)
		for at := range given {
			row, column := at%n, at/n
			if stored.RowMajor {
				row, column = column, row
			}
			given[at] = T(dense[row+column*n])
			if row != column && stored.Upper != (row < column) {
				given[at] = stagetest.NaN[T]()
			}
		}
		y, band, factors := reduceFrom(t, n, b, k, SmallestTuning(), given, func(rec *vk.Recorder, a product.Matrix[T]) {
			mirror.Record(rec, a, stored, 1)
		})
		errors.see(fmt.Sprintf("%+v", stored), n, b, dense, y, band, factors)
	}
	errors.areSmall(t)
}
