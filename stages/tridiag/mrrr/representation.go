package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// representation is L·D·Lᵀ = T − σ·I for a block of T, with L unit lower bidiagonal. Row i has dᵢ
// and lᵢ, where lᵢ is the element of L below dᵢ; the last l is 0. A representation is relatively
// robust if small relative changes of d and l cause only small relative changes of its small
// eigenvalues.
type representation struct {
	at     []float64 // at[i·stride] is dᵢ, at[i·stride+1] is lᵢ
	stride int
	n      int // number of rows
}

func (r representation) row(i int) (d, l float64) { return r.at[i*r.stride], r.at[i*r.stride+1] }

// count returns the number of eigenvalues of L·D·Lᵀ below x. This is the number of negative pivots
// of L·D·Lᵀ − x·I = L⁺·D⁺·L⁺ᵀ, computed by the differential stationary transform (dlaneg). A pivot
// of zero makes the next pivot infinite, and then ∞/∞ is replaced by its limit 1. The kernels must
// do the same operations in the same order: products are rounded before they are added, and no
// operation is fused. x must be finite.
func (r representation) count(x float64) int {
	count, s := 0, -x
	for i := range r.n {
		d, l := r.row(i)
		dp := d + s
		if dp < 0 {
			count++
		}
		s = stationaryStep(s, dp, d, l, x)
	}
	return count
}

// stationaryStep is one step of the differential stationary transform. s is the result of the
// previous step, d and l are the row of the representation, and `dp` is the pivot d⁺ of the row.
// The result is s·l²·d/dp − x.
func stationaryStep(s, dp, d, l, x float64) float64 {
	t := s / dp
	if math.IsNaN(t) {
		t = 1
	}
	s = float64(t*float64(l*float64(l*d))) - x
	if math.IsNaN(s) {
		return -x // l² underflowed: nothing is coupled
	}
	return s
}

// shifted factors a shifted representation, L·D·Lᵀ − τ·I = L⁺·D⁺·L⁺ᵀ, and writes the factors to
// `out`, unless `out` is nil. It returns the largest magnitude of an element of D⁺, or infinity if
// the factorisation breaks down (dlarrf). `out` may have the memory of r. After a breakdown the
// rows of `out` are undefined.
func (r representation) shifted(tau float64, out *representation) (growth float64) {
	s := -tau
	for i := range r.n {
		d, l := r.row(i)
		dp := d + s
		if !(math.Abs(dp) >= tridiag.Pivmin) || math.Abs(dp) > huge {
			return math.Inf(1)
		}
		growth = max(growth, math.Abs(dp))
		lp := float64(l*d) / dp
		if out != nil {
			out.at[i*out.stride], out.at[i*out.stride+1] = dp, lp
		}
		s = float64(float64(lp*l)*s) - tau
	}
	return growth
}

// huge is larger than all elements of a usable representation.
const huge = 0x1p200

// bisect shrinks the interval [lo, hi] around eigenvalue k until its length is at most `rtol` times
// the larger magnitude of its ends (dlarrb). It returns the new ends. If `sure` is false,
// eigenvalue k may be outside the interval at first. In that case the interval first grows (see
// bracket). The final interval contains the eigenvalue, apart from rounding errors of the counts,
// unless `bracket` has stopped without success.
func (r representation) bisect(k int, lo, hi, rtol float64, sure bool) (float64, float64) {
	if !sure {
		lo, hi = r.bracket(k, lo, hi)
	}
	for worthHalving(lo, hi, rtol) {
		mid := middle(lo, hi)
		if r.count(mid) > k {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}

// bracket moves the ends lo and hi apart until eigenvalue k is between them. After a fixed number
// of steps it stops, and the returned ends need not contain the eigenvalue.
func (r representation) bracket(k int, lo, hi float64) (float64, float64) {
	step := firstStep(lo, hi)
	for range expansions {
		if r.count(lo) <= k {
			break
		}
		hi = lo
		lo -= step
		step *= expansionFactor
	}
	step = firstStep(lo, hi)
	for range expansions {
		if r.count(hi) > k {
			break
		}
		lo = hi
		hi += step
		step *= expansionFactor
	}
	return lo, hi
}

const (
	// tiny is the magnitude below which an eigenvalue may be taken as 0, for a matrix L·D·Lᵀ with
	// norm about 1.
	tiny = 0x1p-300

	// expansions is the largest number of steps by which the method `bracket` moves each end of an
	// interval. Each step is expansionFactor times as long as the previous step.
	expansions      = 60
	expansionFactor = 4
)

func firstStep(lo, hi float64) float64 {
	return max(hi-lo, 4*tridiag.Ulp*max(math.Abs(lo), math.Abs(hi)), tiny)
}

func worthHalving(lo, hi, rtol float64) bool {
	return hi-lo > rtol*max(math.Abs(lo), math.Abs(hi))+tiny
}

// middle returns the point at which bisection divides an interval. The eigenvalue must become
// accurate relative to its own magnitude. Therefore bisection finds the sign first, then the
// exponent, then the mantissa.
func middle(lo, hi float64) float64 {
	switch {
	case lo < 0 && hi > 0:
		return 0
	case lo == 0:
		return hi * plunge
	case hi == 0:
		return lo * plunge
	case lo > 0 && hi > 4*lo:
		return math.Sqrt(lo) * math.Sqrt(hi)
	case hi < 0 && lo < 4*hi:
		return -math.Sqrt(-lo) * math.Sqrt(-hi)
	}
	return 0.5 * (lo + hi)
}

// plunge is a factor for intervals with one end at zero: the function `middle` then returns the
// other end times `plunge` instead of a mean, so that the bisection reaches small magnitudes
// quickly.
const plunge = 0x1p-20
