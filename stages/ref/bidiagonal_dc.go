package ref

import (
	"cmp"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// BidiagonalDivideConquer returns the singular value decomposition of the upper bidiagonal matrix C
// with diagonal d[n] and superdiagonal e[n−1],
//
//	C = S·diag(sigma)·Wᵀ      sigma descending and not negative; S and W orthogonal
//
// S and W are n×n and column-major. The method is the divide and conquer of Gu and Eisenstat (1995;
// dbdsdc, dlasd0 to dlasd4). It has these steps:
//
//	split      divide C into blocks at every row where |e| is tiny      this file
//	leaf       solve blocks of up to leaf rows by QR iteration          bidiagonal_dc_leaf.go
//	merge      form M from two solved blocks and the row between them;  bidiagonal_dc_merge.go
//	           M has one full row z and is diagonal otherwise
//	deflate    find singular values that M shares with the blocks       bidiagonal_dc_deflate.go
//	secular    find the other singular values and vectors of M          bidiagonal_dc_secular.go
//
// The argument `leaf` must be 2 or more. e may have more than n−1 elements; the additional elements
// are not read. d and e are not written. The errors of the values and the residuals are a few
// n·ulp·‖C‖, and S and W are orthogonal to a few n·ulp. Small values have no relative accuracy.
// (Bisection of the Golub-Kahan form finds small values with high relative accuracy.) If C is not
// finite, all results are NaN.
func BidiagonalDivideConquer(d, e []float64, leaf int) (sigma, s, w []float64) {
	n := len(d)
	if n == 0 {
		return nil, nil, nil
	}
	norm := tridiag.Largest(d, e[:n-1])
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		nan := []float64{math.NaN()}
		return slices.Repeat(nan, n), slices.Repeat(nan, n*n), slices.Repeat(nan, n*n)
	}
	_, exponent := math.Frexp(norm)
	d, e = timesPowerOfTwo(d, -exponent), timesPowerOfTwo(e[:n-1], -exponent)
	var all []triplet
	for first, last := 0, 0; first < n; first = last { // a block of rows first … last−1
		last = blockEnd(e, first, n)
		for _, t := range conquerBidiagonal(d[first:last], e[first:last-1], leaf).triplets {
			t.s, t.w = zeroPadded(first, t.s, n-last), zeroPadded(first, t.w, n-last)
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b triplet) int { return cmp.Compare(b.sigma, a.sigma) })
	for _, t := range all {
		sigma = append(sigma, math.Ldexp(t.sigma, exponent))
		s, w = append(s, t.s...), append(w, t.w...)
	}
	return sigma, s, w
}

// blockEnd returns the row after the last row of the block that begins at row `first`. An element
// of e is taken as zero if its magnitude is at most ε = 2⁻⁵³. This absolute limit is right because
// C is scaled so that ½ ≤ ‖C‖ < 1, and because the accuracy of the method is absolute. The limit
// also prevents the underflow of squares: inside a block every |e| is above ε, and so is the norm
// of every merged block.
func blockEnd(e []float64, first, n int) int {
	for i := first; i < n-1; i++ {
		if math.Abs(e[i]) <= tridiag.Roundoff {
			return i + 1
		}
	}
	return n
}

// triplet is a singular value sigma of a matrix C with its left vector s and its right vector w:
// C·w = sigma·s. When two blocks are merged, the merged matrix M is diagonal except for one full
// row; z is the element of this row that belongs to the triplet.
type triplet struct {
	sigma float64
	s, w  []float64
	z     float64
}

// bidiagonalBlock is a solved block: n rows of C with n or n+1 columns. If the block has n+1
// columns, `null` is the unit vector that is orthogonal to all right vectors w; the product of the
// block and `null` is zero. The triplets are in any order.
type bidiagonalBlock struct {
	triplets []triplet
	null     []float64
}

// conquerBidiagonal solves a block of n ≥ 1 rows. e has n−1 elements if the block is square, and n
// elements if the block has one more column than rows.
//
// Row k separates two smaller blocks. The rows above row k are a block C1, which has one more
// column than rows. The rows below row k are a block C2, which is square if the whole block is
// square:
//
//	⎡ C1         ⎤
//	⎢   d[k] e[k]⎥      row k meets the last column of C1 and the first column of C2
//	⎣         C2 ⎦
func conquerBidiagonal(d, e []float64, leaf int) bidiagonalBlock {
	n := len(d)
	if n <= leaf {
		return bidiagonalLeaf(d, e)
	}
	k := (n - 1) / 2
	upper := conquerBidiagonal(d[:k], e[:k], leaf)
	lower := conquerBidiagonal(d[k+1:], e[k+1:], leaf)
	return mergeBidiagonal(upper, lower, d[k], e[k])
}

func timesPowerOfTwo(x []float64, exponent int) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] = math.Ldexp(y[i], exponent)
	}
	return y
}

func zeroPadded(above int, x []float64, below int) []float64 {
	return slices.Concat(make([]float64, above), x, make([]float64, below))
}
