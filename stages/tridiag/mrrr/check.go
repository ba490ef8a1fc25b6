package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Limits of check, in n·ulp of the block.
const (
	// orthogonalLimit bounds |‖y‖² − m|. One pair of vectors that are not orthogonal counts twice
	// in it. If many eigenvalues are as close as singles may be, the products of their vectors are
	// an ulp over that distance, or n·ulp, each; their number grows as m. They are of random sign
	// and add up as √m. The limit is therefore √m if that is more.
	orthogonalLimit = 50

	// residualLimit bounds ‖T·y − Z·Λ·w‖.
	residualLimit = 30
)

// check marks the blocks whose vectors are wrong as failed. It looks at sums of all m vectors of a
// block with random signs, y = Z·w, wᵢ = ±1. On average
//
//	( ‖y‖² − m )²      is 2·‖ZᵀZ − I‖²    in Frobenius's norm
//	‖T·y − Z·Λ·w‖²     is ‖T·Z − Z·Λ‖²
//
// and for one pair of vectors that are not orthogonal the first is exact. So a few samples, of n·m
// operations each, see what n·m² operations would. The check does not depend on how the vectors
// were found.
func (s *solution) check(blocks []*block) error {
	lambda := make([]float64, s.to-s.from)
	for _, b := range s.blocks {
		for _, m := range b.members {
			if m.column >= 0 {
				lambda[m.column] = m.value
			}
		}
	}
	sums, err := s.backend.Sums(lambda)
	if err != nil {
		return err
	}
	n := s.n()
	for _, b := range blocks {
		m := len(b.vectors().Columns)
		if m == 0 { // no vector of the block is wanted
			b.failed, b.hopeless = false, false
			continue
		}
		for i := range Samples {
			if !s.sampleIsGood(b, float64(m), sums[2*i*n:(2*i+1)*n], sums[(2*i+1)*n:(2*i+2)*n]) {
				b.failed = true
			}
		}
	}
	return nil
}

// sampleIsGood checks the m vectors of a block by one sample, y = Z·w and u = Z·Λ·w. NaN is not
// good.
func (s *solution) sampleIsGood(b *block, m float64, y, u []float64) bool {
	norm2, residual2 := 0.0, 0.0
	for r := b.lo; r < b.hi; r++ {
		v := float64(s.d[r]*y[r]) - u[r]
		if r > b.lo {
			v += float64(s.e[r-1] * y[r-1])
		}
		if r+1 < b.hi {
			v += float64(s.e[r] * y[r+1])
		}
		norm2 += float64(y[r] * y[r])
		residual2 += float64(v * v)
	}
	unit := float64(b.n()) * tridiag.Ulp
	orthogonal := math.Abs(norm2-m) <= max(orthogonalLimit, math.Sqrt(m))*unit
	return orthogonal && math.Sqrt(residual2) <= residualLimit*unit
}
