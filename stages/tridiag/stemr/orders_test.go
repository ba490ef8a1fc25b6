package stemr

import (
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// solveAndCheckMRRR finds all eigenvectors of a tridiagonal matrix by MRRR and checks them. It
// fails the test if the solver used divide and conquer.
func solveAndCheckMRRR(t *testing.T, name string, tune Tables, d, e []float64) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		values, z, counters := solveMRRR(t, tune, d, e, 0, len(d), false)
		checkMRRR(t, d, e, 0, values, z)
		if counters.Fallback > 0 {
			t.Errorf("divide and conquer was needed: %+v", counters)
		}
	})
}

func TestMRRROfEveryOrder(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	for n := 1; n <= 64; n++ {
		d, e := stagetest.RandomTridiagonal(n, 1)
		solveAndCheckMRRR(t, fmt.Sprint(n), SmallestTuning(), d, e)
	}
}

// TestMRRRInEveryTuning runs MRRR with the rows MRRR of the tuning tables for NVIDIA, for
// processors and for unknown devices. Its orders are around a power of two.
func TestMRRRInEveryTuning(t *testing.T) {
	when.Long(t, "the tests with the smallest sizes of kernels")
	glued := matgen.GluedWilkinson(1e-12)
	for _, family := range []string{"nvidia", "cpu", ""} {
		tune := SmallestTuning()
		tune.MRRR = tuningFor(family).MRRR
		for _, n := range []int{127, 128, 129} {
			d, e := stagetest.RandomTridiagonal(n, 2)
			solveAndCheckMRRR(t, fmt.Sprintf("%q/random/%d", family, n), tune, d, e)
		}
		d, e := glued.Tridiagonal(128)
		solveAndCheckMRRR(t, fmt.Sprintf("%q/glued", family), tune, d, e)
	}
}

// TestMRRROfSplitMatrices checks MRRR for matrices with zeros in the off-diagonal, which split the
// matrix into blocks. The test puts a zero in each place, and zeros in many sets of places.
func TestMRRROfSplitMatrices(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.SplitTridiagonals(257, func(name string, d, e []float64) { solveAndCheckMRRR(t, name, SmallestTuning(), d, e) })
}

func TestMRRROfScaledMatrices(t *testing.T) {
	stagetest.ScaledTridiagonals(func(name string, d, e []float64) { solveAndCheckMRRR(t, name, SmallestTuning(), d, e) })
}

// TestMRRROfGluedWilkinson checks MRRR for a matrix of weakly coupled copies of the Wilkinson
// matrix of order 21. Each cluster has at least as many eigenvalues as there are copies: 6, or 50
// if VKEVD_MRRR is set.
func TestMRRROfGluedWilkinson(t *testing.T) {
	copies := 6
	if os.Getenv("VKEVD_MRRR") != "" {
		copies = 50
	}
	for _, glue := range []float64{1e-14, 1e-8, 1e-4} {
		d, e := matgen.GluedWilkinson(glue).Tridiagonal(21 * copies)
		solveAndCheckMRRR(t, fmt.Sprint(glue), TuningFor(stagetest.Device(t).Info()), d, e)
	}
}

// TestMRRRLarge checks MRRR for orders that are too slow for make test. The environment variable
// VKEVD_MRRR lists the orders: VKEVD_MRRR=1000,4097. For orders above allVectors, the test finds
// only the vectors at the two ends and in the middle of the spectrum.
func TestMRRRLarge(t *testing.T) {
	const allVectors, some = 1000, 96
	tune := TuningFor(stagetest.Device(t).Info())
	for _, n := range stagetest.OrdersFrom(t, "VKEVD_MRRR") {
		parts := [][2]int{{0, n}}
		if n > allVectors {
			parts = [][2]int{{0, some}, {(n - some) / 2, (n + some) / 2}, {n - some, n}}
		}
		for _, kind := range matgen.Tridiagonals() {
			d, e := kind.Tridiagonal(n)
			for _, r := range parts {
				t.Run(fmt.Sprintf("%s/%d/%d:%d", kind.Name(), n, r[0], r[1]), func(t *testing.T) {
					values, z, counters := solveMRRR(t, tune, d, e, r[0], r[1], false)
					checkMRRR(t, d, e, r[0], values, z)
					t.Logf("%+v", counters)
				})
			}
		}
	}
}
