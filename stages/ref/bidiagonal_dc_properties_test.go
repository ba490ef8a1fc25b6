package ref

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestBidiagonalDivideConquerScalesExactly multiplies matrices by powers of two. The singular
// values must be multiplied by exactly the same power, and the vectors must keep their bits. The
// scales go from denormal numbers to the largest numbers.
func TestBidiagonalDivideConquerScalesExactly(t *testing.T) {
	for _, n := range []int{1, 2, 7, 40} {
		d, e := gauss(n, 1), gauss(max(0, n-1), 2)
		for _, x := range [][]float64{d, e} {
			for i := range x {
				x[i] = math.Round(1000 * x[i])
			}
		}
		sigma, s, w := BidiagonalDivideConquer(d, e, 3)
		for _, exponent := range []int{-1074, -600, 0, 600, 1000} {
			scaled, ss, sw := BidiagonalDivideConquer(timesPowerOfTwo(d, exponent), timesPowerOfTwo(e, exponent), 3)
			if !slices.Equal(scaled, timesPowerOfTwo(sigma, exponent)) || !slices.Equal(s, ss) || !slices.Equal(w, sw) {
				t.Errorf("n=%d: another result times 2^%d", n, exponent)
			}
		}
	}
}

// TestBidiagonalDivideConquerReadsOnlyC checks that BidiagonalDivideConquer does not change its
// arguments, and does not read elements of e from n−1 on.
func TestBidiagonalDivideConquerReadsOnlyC(t *testing.T) {
	const n = 20
	d, e := gauss(n, 1), gauss(n-1, 2)
	longer := append(slices.Clone(e), math.NaN(), math.NaN())
	dd, ee := slices.Clone(d), slices.Clone(longer)
	sigma, s, w := BidiagonalDivideConquer(d, e, 3)
	sigma2, s2, w2 := BidiagonalDivideConquer(dd, ee, 3)
	if !slices.Equal(sigma, sigma2) || !slices.Equal(s, s2) || !slices.Equal(w, w2) {
		t.Error("elements past n−1 matter")
	}
	if !slices.Equal(d, dd) || !slices.Equal(longer[:n-1], ee[:n-1]) {
		t.Error("d or e was written")
	}
}

// TestBidiagonalDivideConquerOfNaN checks that all results are NaN for a matrix that is not finite.
func TestBidiagonalDivideConquerOfNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for place := range 19 {
			d, e := gauss(10, 1), gauss(9, 2)
			if place < 10 {
				d[place] = bad
			} else {
				e[place-10] = bad
			}
			sigma, s, w := BidiagonalDivideConquer(d, e, 2)
			finite := func(x float64) bool { return !math.IsNaN(x) }
			if len(sigma) != 10 || len(s) != 100 || len(w) != 100 ||
				slices.ContainsFunc(slices.Concat(sigma, s, w), finite) {
				t.Errorf("%g at %d: a result is not NaN", bad, place)
			}
		}
	}
}

// TestBidiagonalBlocks checks that a bidiagonal matrix C is split into blocks where |e| ≤ 2⁻⁵³, and
// nowhere else. C must have been scaled so that ½ ≤ ‖C‖ < 1.
func TestBidiagonalBlocks(t *testing.T) {
	const eps = 0x1p-53
	above := math.Nextafter(eps, 1)
	e := []float64{0.5, eps, above, 0, -eps, -above, 1e-300}
	var ends []int
	for first := 0; first < 8; {
		first = blockEnd(e, first, 8)
		ends = append(ends, first)
	}
	if want := []int{2, 4, 5, 7, 8}; !slices.Equal(ends, want) {
		t.Errorf("blocks end at %v, want %v", ends, want)
	}
}

// TestBidiagonalBlocksKeepApart checks that the vectors of one block are zero in the rows of all
// other blocks.
func TestBidiagonalBlocksKeepApart(t *testing.T) {
	const n = 40
	d, e := suite.SplitBidiagonal(n, 0x1p-54)
	_, s, w := BidiagonalDivideConquer(d, e, 2)
	for j := range n {
		for _, x := range [][]float64{s[j*n : (j+1)*n], w[j*n : (j+1)*n]} {
			first := slices.IndexFunc(x, func(x float64) bool { return x != 0 })
			for i := range x {
				if x[i] != 0 && i/5 != first/5 {
					t.Fatalf("vector %d has elements in the rows %d and %d", j, first, i)
				}
			}
		}
	}
}

// TestBidiagonalBlockWithAColumnMore checks blocks with one more column than rows, for which
// conquerBidiagonal returns a null vector. The null vector must be orthogonal to all right vectors,
// and the product of the block and the null vector must be zero. The test covers leaves (the
// smallest subproblems) and merged blocks.
func TestBidiagonalBlockWithAColumnMore(t *testing.T) {
	residual, orthogonal := worst{name: "‖C·W − S·Σ‖"}, worst{name: "‖I − Wᵀ·W‖"}
	for n := 1; n <= 40; n++ {
		for _, leaf := range []int{2, 3, 40} {
			for _, zero := range []bool{false, true} {
				d, e := gauss(n, 3), gauss(n, 4)
				if zero {
					d[n/2], e[n-1] = 0, 1e-9
				}
				b := conquerBidiagonal(d, e, leaf)
				var w []float64
				off := 0.0
				for _, t := range append(slices.Clone(b.triplets), triplet{w: b.null, s: make([]float64, n)}) {
					w = append(w, t.w...)
					for i := range n {
						off = max(off, math.Abs(d[i]*t.w[i]+e[i]*t.w[i+1]-t.sigma*t.s[i]))
					}
				}
				residual.see(t, off/(float64(n)*ratio.Ulp), "n=%d leaf %d", n, leaf)
				orthogonal.see(t, ratio.Orthogonality(n+1, n+1, w, n+1), "n=%d leaf %d", n, leaf)
			}
		}
	}
	residual.report(t)
	orthogonal.report(t)
}
