package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Bisection returns all eigenvalues of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, in ascending order. Each eigenvalue is found by bisection with Sturm counts
// (dstebz without blocks). The error is a few ulp of the eigenvalue or about 2⁻⁴⁵⁰·‖T‖, whichever
// is larger, apart from rounding errors of the counts. The counts are exact for a matrix whose
// off-diagonal elements have relative errors of some ulps, and never decrease as x grows. If T is
// not finite, all values are NaN.
func Bisection(d, e []float64) []float64 {
	s := NewSturm(d, e)
	values := make([]float64, len(d))
	for k := range values {
		values[k] = math.Ldexp(s.Value(k), s.Exponent)
	}
	return values
}

// CountBelow returns the number of eigenvalues below x of the tridiagonal matrix with diagonal d
// and off-diagonal e. If an eigenvalue and x differ by less than the rounding errors, the
// eigenvalue may be counted or not.
func CountBelow(d, e []float64, x float64) int {
	s := NewSturm(d, e)
	return s.Count(math.Ldexp(x, -s.Exponent))
}

// Sturm is a tridiagonal matrix T prepared for counts: 2^−Exponent·T, whose largest element is in
// [½, 1), and the interval [Lo, Hi] in which every bisection begins. Its numbers are computed by
// exact operations, minima, maxima, and sums and products of two numbers. Therefore a kernel
// computes the same numbers in any order of the rows.
type Sturm struct {
	D, E2    []float64 // diagonal; squares of the off-diagonal, E2[i] couples i and i+1
	Exponent int
	Lo, Hi   float64 // Count(Lo) = 0, Count(Hi) = n: the ends of Gerschgorin's discs and some more
}

const (
	// Diagonal elements of the scaled T with magnitudes below bisectFlush are taken as zero. So are
	// the squares of off-diagonal elements if the squares are below bisectFlush. Then no number of
	// the recurrence is denormal, and devices that flush denormal numbers give the same counts.
	// This changes the eigenvalues by about 2⁻⁴⁵⁰·‖T‖ at most.
	bisectFlush = 0x1p-900

	// bisectTiny is the absolute part of the rule that ends a bisection. The bisections of the zero
	// matrix end at once, at 0.
	bisectTiny = 0x1p-900
)

// NewSturm scales T by a power of two and finds the interval in which every bisection begins. d and
// e are not written.
func NewSturm(d, e []float64) *Sturm {
	n := len(d)
	var top float64
	for i := range d {
		top = max(top, math.Abs(d[i]))
	}
	for i := range n - 1 {
		top = max(top, math.Abs(e[i]))
	}
	s := &Sturm{D: make([]float64, n), E2: make([]float64, max(0, n-1))}
	_, s.Exponent = math.Frexp(top)

	ready := func(x float64) float64 {
		if math.Abs(x) < bisectFlush {
			return 0
		}
		return x
	}
	radius := make([]float64, n)
	for i := range s.E2 {
		off := math.Ldexp(e[i], -s.Exponent)
		s.E2[i] = ready(off * off)
		radius[i] += math.Abs(off)
		radius[i+1] += math.Abs(off)
	}
	for i := range d {
		s.D[i] = ready(math.Ldexp(d[i], -s.Exponent))
		if i == 0 {
			s.Lo, s.Hi = s.D[0], s.D[0]
		}
		s.Lo = min(s.Lo, s.D[i]-radius[i])
		s.Hi = max(s.Hi, s.D[i]+radius[i])
	}

	norm := max(math.Abs(s.Lo), math.Abs(s.Hi))
	room := 4 * (float64(n)*tridiag.Ulp*norm + tridiag.Pivmin)
	s.Lo -= room
	s.Hi += room
	return s
}

// Count returns the number of negative pivots of T − x·I = L·diag(q)·Lᵀ, which is the number of
// eigenvalues below x. A pivot with magnitude up to tridiag.Pivmin is replaced by −Pivmin. The
// kernels must do the same operations in the same order: each operation is rounded, and no
// operation is fused. This makes the count monotone in x (Demmel, Dhillon and Ren, ETNA 3, 1995).
func (s *Sturm) Count(x float64) int {
	count := 0
	var q float64
	for i, di := range s.D {
		if i == 0 {
			q = di - x
		} else {
			q = (di - x) - s.E2[i-1]/q
		}
		if math.Abs(q) <= tridiag.Pivmin {
			q = -tridiag.Pivmin
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// Value returns eigenvalue k of the scaled T; the smallest has index 0. The bisections for all k
// begin with the same interval and use midpoints of the same binary tree. Therefore the values
// ascend, because counts are monotone.
//
// The loop ends, for these reasons. If an interval is longer than the bound at which the loop
// stops, the middle of the interval lies strictly inside. After at most 122 halvings the interval
// is short enough (see the method middle). If an end of the interval or the bound is NaN, the loop
// ends immediately.
func (s *Sturm) Value(k int) float64 {
	lo, hi := s.Lo, s.Hi
	mid := s.middle(lo, hi)
	for hi-lo > 2*tridiag.Ulp*max(math.Abs(lo), math.Abs(hi))+bisectTiny {
		if s.Count(mid) > k {
			hi = mid
		} else {
			lo = mid
		}
		mid = s.middle(lo, hi)
	}
	return mid
}

// middle returns the point at which a bisection divides the interval [lo, hi]: usually the
// midpoint. If both ends are smaller than ulp·‖T‖, the middle is 0, or a power of two whose
// exponent is the mean of the exponents of the ends, until the ends have nearly the same exponent.
// So a bisection finds the exponent of a tiny eigenvalue in few halvings:
//
//	54   halvings until both ends are smaller than ulp·‖T‖
//	12   until both ends have the same sign, and their ratio is at most 4. The exponents are between
//	     −900 and −50 at first, and each halving of the interval halves their difference
//	53   until the interval is shorter than 2·ulp of the larger end
//
// For an eigenvalue that is not tiny 105 halvings are enough.
func (s *Sturm) middle(lo, hi float64) float64 {
	small := tridiag.Ulp * max(math.Abs(s.Lo), math.Abs(s.Hi), 0.5)
	near, far := max(lo, -hi), max(hi, -lo) // distances from 0; near is negative if 0 lies inside
	midpoint := 0.5 * (lo + hi)
	switch {
	case !(far <= small && math.Abs(midpoint) <= far): // also if a number is NaN
		return midpoint
	case near < 0:
		return 0
	}
	if near = max(near, bisectTiny); far <= 4*near {
		return midpoint
	}
	_, least := math.Frexp(near)
	_, most := math.Frexp(far)
	return math.Copysign(math.Ldexp(1, (least+most)>>1), hi+lo)
}
