package reduce

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// complexGeneral returns a random m×n matrix whose elements complex64 holds exactly.
func complexGeneral(m, n int) []complex128 {
	random := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	a := make([]complex128, m*n)
	for i := range a {
		a[i] = stagetest.RandomComplex(random)
	}
	return a
}

// TestComplexGeneralBandReduction reduces complex m×n matrices to an upper band on the device, and
// compares the results with those of package ref. It covers orders n at and near multiples of the
// band's width b and the block size k.
func TestComplexGeneralBandReduction(t *testing.T) {
	stagetest.EachComplex(t, testComplexGeneralBandReduction[complex128], testComplexGeneralBandReduction[complex64])
}

func testComplexGeneralBandReduction[T stagetest.Complex](t *testing.T) {
	var distant stagetest.Worst // distance from the results of package ref
	for _, b := range []int{1, 4, 5} {
		for _, k := range []int{b, 3 * b} {
			for _, n := range []int{1, 2, b, b + 1, 2*b + 1, k, k + 1, k + b + 1, 2*k + b + 2} {
				for _, m := range []int{n, n + 1, 2*n + 3} {
					size := GeneralSize{M: m, N: n, B: b, K: k, Vectors: true}
					dense := complexGeneral(m, n)
					got := reduceGeneral(t, size, stagetest.ComplexOf[T](dense), SmallestTuning(), n%2 == 0)
					a := slices.Clone(dense)
					band, left, right := ref.GeneralBandReduction(m, n, b, k, a, m)
					what := fmt.Sprintf("m=%d n=%d b=%d k=%d", m, n, b, k)
					ofLeft := stagetest.ComplexOf[complex128](got.left)
					upperOnly(size, ofLeft, left)
					for _, c := range []struct {
						name      string
						got, want []complex128
					}{
						{"band", stagetest.ComplexOf[complex128](got.band), band}, {"A", stagetest.ComplexOf[complex128](got.a), a},
						{"T of Q1", ofLeft, left}, {"T of P1", stagetest.ComplexOf[complex128](got.right), right},
					} {
						for i := range c.want {
							distant.See(cmplx.Abs(c.got[i]-c.want[i])/stagetest.EpsilonOf[T](), what+": "+c.name)
						}
					}
				}
			}
		}
	}
	// Matrices whose columns are nearly dependent increase the distance.
	distant.AtMost(t, "distance from ref.GeneralBandReduction in units of ε", 20000)
}

// TestComplexGeneralBandReductionOfReals checks that the reduction of a real matrix in complex
// storage has no imaginary parts, and that reductions with and without waits, and with and without
// vectors, give the same bits.
func TestComplexGeneralBandReductionOfReals(t *testing.T) {
	size := GeneralSize{M: 41, N: 36, B: 4, K: 8, Vectors: true}
	dense := complexGeneral(size.M, size.N)
	for i, z := range dense {
		dense[i] = complex(real(z), 0)
	}
	first := reduceGeneral(t, size, dense, SmallestTuning(), true)
	for _, z := range slices.Concat(first.a, first.band, first.left, first.right) {
		if imag(z) != 0 {
			t.Fatalf("%v is not real", z)
		}
	}
	size.Vectors = false
	if again := reduceGeneral(t, size, dense, SmallestTuning(), false); !slices.Equal(again.band, first.band) {
		t.Error("another reduction gives other bits")
	}
}
