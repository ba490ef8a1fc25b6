package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// These constants limit the errors that the function check accepts, in units of n·ulp, where n is
// the order of the block.
const (
	// orthogonalLimit limits |‖y‖² − m|, where y is the sum of the m vectors of a block with random
	// signs (see check). A pair of vectors that are not orthogonal counts twice in this difference.
	// The inner product of two computed vectors is about ulp divided by the relative gap of their
	// eigenvalues. Without clusters, this is at most about n·ulp. About m such inner products with
	// random signs have a sum that grows as √m. Therefore the limit is √m, if √m is larger than
	// orthogonalLimit.
	orthogonalLimit = 50

	// residualLimit limits ‖T·y − Z·Λ·w‖, where y = Z·w is the sum of the vectors Z of a block with
	// random signs w.
	residualLimit = 30
)

// check marks the blocks whose vectors are wrong as failed. It uses a sum y = Z·w of all m vectors
// Z of a block with random signs wᵢ = ±1. For vectors of norm 1, on average
//
//	( ‖y‖² − m )²      is 2·‖ZᵀZ − I‖²    in Frobenius's norm
//	‖T·y − Z·Λ·w‖²     is ‖T·Z − Z·Λ‖²
//
// If only one pair of vectors is not orthogonal, the first formula holds for all signs, and not
// only on average. So a few samples with n·m operations each detect the same errors as a check with
// n·m² operations. The check does not depend on the method that found the vectors.
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

// sampleIsGood checks the m vectors Z of a block by the sums y = Z·w and u = Z·Λ·w with random
// signs w. If a sum has a NaN, the result is false.
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
