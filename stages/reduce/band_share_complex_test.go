package reduce

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// TestComplexBandShare reduces Hermitian matrices by one to three devices with unequal shares, for
// orders at and near the multiples of the half-bandwidth and the block size. The imaginary parts of
// the diagonal are NaN. The reflectors, the band and the factors T must be those of package ref,
// and a second run must have the same bits.
func TestComplexBandShare(t *testing.T) {
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	stagetest.EachComplex(t, testComplexBandShare[complex128], testComplexBandShare[complex64])
}

func testComplexBandShare[T stagetest.Complex](t *testing.T) {
	var errors complexErrors[T]
	var distant stagetest.Worst // distance from the results of package ref
	for i, parts := range [][]float64{{1}, {0.5, 0.5}, {0.2, 0.5, 0.3}} {
		for _, size := range [][2]int{{3, 9}, {4, 8}} {
			b, k := size[0], size[1]
			for _, n := range []int{2, b + 1, k + 1, 2*k + b + 2, 50} {
				where, dense := fmt.Sprintf("n=%d b=%d k=%d, %d devices", n, b, k, i+1), hermitian(n)
				given := stagetest.ComplexOf[T](dense)
				for j := range n {
					given[j+j*n] = T(complex(real(dense[j+j*n]), math.NaN()))
				}
				y, band, factors := reduceShared(t, n, b, k, parts, SmallestTuning(), given)
				y2, band2, factors2 := reduceShared(t, n, b, k, parts, SmallestTuning(), given)
				if !slices.Equal(y, y2) || !slices.Equal(band, band2) || !slices.Equal(factors, factors2) {
					t.Errorf("%s: two runs differ", where)
				}
				checkReflectors(t, where, n, b, y)
				checkBand(t, where, n, b, band)
				for j := range n {
					if imag(complex128(band[j*2*b])) != 0 {
						t.Errorf("%s: element %d of the diagonal is %v", where, j, band[j*2*b])
					}
				}
				gotY, gotBand, gotFactors := errors.see(where, n, b, dense, y, band, factors)
				a := slices.Clone(dense)
				wantBand, wantFactors := ref.BandReduction(n, b, k, a, n)
				for _, c := range []struct {
					name      string
					got, want []complex128
				}{{"Y", gotY, a}, {"band", gotBand, wantBand}, {"T", gotFactors, wantFactors}} {
					for i := range c.want {
						distant.See(cmplx.Abs(c.got[i]-c.want[i])/stagetest.EpsilonOf[T](), where+": "+c.name)
					}
				}
			}
		}
	}
	errors.areSmall(t)
	distant.AtMost(t, "distance from ref.BandReduction in units of ε", 1500)
}
