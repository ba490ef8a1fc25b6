package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Sturm counts without divisions use principal minors. These constants prevent overflow and
// underflow of the minors: small squares of off-diagonal elements are replaced by a lower bound,
// and minors are scaled by powers of two, which is exact.
const (
	minorsLeast = 0x1p-120 // smaller squares of off-diagonal elements are replaced by this one
	minorsLevel = 0x1p900  // magnitude to which the larger one of two minors is scaled
	minorsRows  = 8        // number of rows after which the minors are scaled
)

// CountMinors counts the eigenvalues below x as the method Count does, but without divisions. The
// count is exact for some number that differs from x by at most 3·Unit. CountMinors counts the
// changes of sign in the leading principal minors of T − x·I,
//
//	p(i+1) = (d(i) − x)·p(i) − e²(i−1)·p(i−1)
//
// where d is the diagonal and e the off-diagonal of T. The file
// shaders/glsl/tridiag/stebz_narrow.comp proves the bound 3·Unit, and that no minor overflows or
// underflows harmfully. The count of a kernel for the same x may differ within the bound.
func (s *Sturm) CountMinors(x float64) int {
	changes, before, now := 0, 0.0, minorsLevel
	for i, d := range s.D {
		var e2 float64 // before the first row p(−1) = 0
		if i > 0 {
			e2 = s.E2[i-1]
		}
		next := math.FMA(d-x, now, -(max(e2, minorsLeast) * before))
		if math.Signbit(next) != math.Signbit(now) {
			changes++
		}
		before, now = now, next
		if i%minorsRows == minorsRows-1 {
			_, exponent := math.Frexp(max(math.Abs(before), math.Abs(now)))
			_, level := math.Frexp(minorsLevel)
			before, now = math.Ldexp(before, level-exponent), math.Ldexp(now, level-exponent)
		}
	}
	return changes
}

// Unit is ulp times Gerschgorin's bound of ‖T‖, where T is the scaled matrix. It is the unit of the
// errors of counts. For the zero matrix it is ulp/2.
func (s *Sturm) Unit() float64 {
	return tridiag.Ulp * max(math.Abs(s.Lo), math.Abs(s.Hi), 0.5)
}
