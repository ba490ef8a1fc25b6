package ref

import (
	"cmp"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// mergeBidiagonal solves the block that consists of two solved blocks and the row between them
// (dlasd1). The row has the element dk in the last column of the upper block, and the element ek in
// the first column of the lower block. In the bases of the singular vectors of the two blocks, and
// with the row moved to the top, the block is
//
//	    ⎡ z0  z1  z2  … ⎤      poles 0, d1, d2, … : zero, and the singular values of both blocks
//	M = ⎢     d1        ⎥      z1, z2, …          : the row times their right vectors
//	    ⎣         d2  … ⎦      z0                 : the row times the upper block's null vector
//
// If both blocks have a null vector, the two are first rotated until the row times one of them is
// zero; z0 is the row times the other one. The left vector that belongs to pole 0 is the unit
// vector e_k, where k is the index of the row between the blocks.
func mergeBidiagonal(upper, lower bidiagonalBlock, dk, ek float64) bidiagonalBlock {
	k := len(upper.triplets)
	below := len(lower.triplets) // rows of the lower block
	columns := below             // columns of the lower block
	zero := triplet{             // pole 0
		s: zeroPadded(k, []float64{1}, below),
	}
	if lower.null != nil {
		columns++
	}
	zero.w, zero.z = zeroPadded(0, upper.null, columns), dk*upper.null[k]

	var merged bidiagonalBlock
	if lower.null != nil { // rotate the two null vectors until the row times one of them is zero
		merged.null = zeroPadded(k+1, lower.null, 0)
		c, s, r := rotation(zero.z, ek*lower.null[0])
		rotateVectors(c, s, zero.w, merged.null)
		zero.z = r
	}
	var others []triplet
	for _, t := range upper.triplets {
		others = append(others, triplet{t.sigma,
			zeroPadded(0, t.s, 1+below), zeroPadded(0, t.w, columns), dk * t.w[k]})
	}
	for _, t := range lower.triplets {
		others = append(others, triplet{t.sigma,
			zeroPadded(k+1, t.s, 0), zeroPadded(k+1, t.w, 0), ek * t.w[0]})
	}
	slices.SortStableFunc(others, func(a, b triplet) int { return cmp.Compare(a.sigma, b.sigma) })

	norm := max(math.Abs(dk), math.Abs(ek))
	for _, t := range others {
		norm = max(norm, t.sigma, math.Abs(t.z))
	}
	remaining, solved := deflateBidiagonal(zero, others, 8*tridiag.Roundoff*norm)
	merged.triplets = append(solved, remaining.solve()...)
	return merged
}
