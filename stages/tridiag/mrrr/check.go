package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// check marks the blocks whose vectors are wrong. It looks at sums of all vectors of a
// block with random signs, y = Z·w, wᵢ = ±1: on average
//
//	( ‖y‖² − m )²      is 2·‖ZᵀZ − I‖²    in Frobenius's norm
//	‖T·y − Z·Λ·w‖²     is ‖T·Z − Z·Λ‖²
//
// and for one pair of vectors that are not orthogonal the first is exact. So a few
// samples of n·m operations see what n·m² would. All of it is independent of how the vectors came about.
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
		m := float64(len(b.vectors().Columns))
		if m == 0 {
			b.failed, b.lost = false, false // nobody asked for them
			continue
		}
		for i := range Samples {
			y, u := sums[2*i*n:(2*i+1)*n], sums[(2*i+1)*n:(2*i+2)*n]
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
			if !(math.Abs(norm2-m) <= max(orthogonalLimit, math.Sqrt(m))*unit) {
				b.failed = true
			}
			if !(math.Sqrt(residual2) <= residualLimit*unit) {
				b.failed = true
			}
		}
	}
	return nil
}

// In n·ulp. A pair of vectors counts twice in the first. Of pairs at the least distance, whose
// products may be an ulp over that distance or n·ulp each, there are in proportion to m, and
// what is random adds up as √m does.
const (
	orthogonalLimit = 50
	residualLimit   = 30
)
