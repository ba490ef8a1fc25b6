package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	minorsLeast = 0x1p-120 // of a square of an off-diagonal element
	minorsLevel = 0x1p900  // where the minors are kept
	minorsRows  = 8        // between two looks at them
)

// CountMinors is Count, but for a few ulp of ‖T‖, without divisions: the changes of sign in
// the principal minors of T − x·I,
//
//	p(i+1) = (d(i) − x)·p(i) − e²(i−1)·p(i−1)
//
// It is exact for an x that differs by at most 3·Unit; shaders/glsl/tridiag/stebz_narrow.comp derives that, and why
// nothing overflows or is lost. Kernels need not agree with it beyond that bound.
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

// Unit is ulp·‖T‖ of the scaled T, or rather of ½ if that is more, which it is for the zero matrix alone.
func (s *Sturm) Unit() float64 {
	return tridiag.Ulp * max(math.Abs(s.Lo), math.Abs(s.Hi), 0.5)
}
