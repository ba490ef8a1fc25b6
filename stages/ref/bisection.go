package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Bisection returns all eigenvalues of the symmetric tridiagonal T(d, e),
// ascending, each by its own bisection on Sturm counts (dstebz without blocks).
// An eigenvalue is found to within a few ulp of itself or ulp²·‖T‖, whichever is
// more, as far as the counts tell: they are those of a T whose off-diagonals
// moved by some ulps of themselves, and they never decrease as x grows.
func Bisection(d, e []float64) []float64 {
	s := NewSturm(d, e)
	values := make([]float64, len(d))
	for k := range values {
		values[k] = math.Ldexp(s.Value(k), s.Exponent)
	}
	return values
}

// CountBelow returns the number of eigenvalues of T(d, e) below x; one within
// rounding of x may count either way.
func CountBelow(d, e []float64, x float64) int {
	s := NewSturm(d, e)
	return s.Count(math.Ldexp(x, -s.Exponent))
}

// A Sturm is a tridiagonal made ready for counting: 2^−Exponent·T, whose largest
// entry is in [½, 1), and what every bisection of it starts from. All of it is
// made by exact operations, minima, maxima and a handful of sums, so a kernel
// that is handed the same D and E2 has the same numbers whatever its order.
type Sturm struct {
	D, E2    []float64 // diagonal; squares of the off-diagonal, E2[i] couples i and i+1
	Exponent int
	Lo, Hi   float64 // Count(Lo) = 0, Count(Hi) = n: Gerschgorin's discs and some room
	Tiny     float64 // the absolute part of the stopping rule
}

const (
	// Smaller entries of the scaled T, and squares, count as zero. Nothing
	// denormal then meets the recurrence, so devices that flush denormals count
	// alike; beside a norm of one they are lost in any case.
	bisectFlush = 0x1p-900
)

// NewSturm scales T by a power of two and sets up the bisections.
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
	s.Tiny = tridiag.Ulp*tridiag.Ulp*norm + 8*tridiag.Pivmin // the zero matrix ends at once, at 0
	return s
}

// Count returns how many pivots of T − x·I = L·diag(q)·Lᵀ are negative, as many
// as there are eigenvalues below x. A pivot of magnitude up to Pivmin becomes
// −Pivmin. The operations and their order are the contract: each is rounded once,
// none is fused, and so the count is monotone in x.
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

// Value returns eigenvalue k of the scaled T, counted from 0. All k start from
// the same interval and so walk the same tree of midpoints, which with a monotone
// count makes the values ascend. An interval longer than that bound has its
// midpoint strictly inside; one of twice the norm is shorter than Tiny after at
// most 106 halvings; and NaN ends the loop at once.
func (s *Sturm) Value(k int) float64 {
	lo, hi := s.Lo, s.Hi
	mid := 0.5 * (lo + hi)
	for hi-lo > 2*tridiag.Ulp*max(math.Abs(lo), math.Abs(hi))+s.Tiny {
		if s.Count(mid) > k {
			hi = mid
		} else {
			lo = mid
		}
		mid = 0.5 * (lo + hi)
	}
	return mid
}
