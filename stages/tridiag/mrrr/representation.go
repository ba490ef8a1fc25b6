package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// representation is a representation of a block of T, less a shift: L·D·Lᵀ with L unit lower
// bidiagonal. Row i keeps dᵢ and lᵢ, the element of L below it, side by side; the
// last l is 0. Small relative changes of d and l change
// each small eigenvalue by little of itself: that is what representations are for.
type representation struct {
	at     []float64 // at[i·stride] is dᵢ, at[i·stride+1] lᵢ
	stride int
	n      int
}

func (r representation) row(i int) (d, l float64) { return r.at[i*r.stride], r.at[i*r.stride+1] }

// count returns how many eigenvalues of L·D·Lᵀ lie below x: the negative pivots of
// L·D·Lᵀ − x·I = L⁺·D⁺·L⁺ᵀ, by the differential stationary transform (dlaneg). A zero
// pivot makes the next infinite, and ∞/∞ has the limit 1.
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

// stationaryStep is one step of the stationary transform: s·l²·d/d⁺ − x.
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

// shifted makes L⁺·D⁺·L⁺ᵀ = L·D·Lᵀ − τ·I in out, unless that is nil, and returns the
// largest |d⁺|, infinite if the factorisation breaks down (dlarrf).
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

// huge is more than any element of a useful representation.
const huge = 0x1p200

// bisect shrinks [lo, hi] around eigenvalue k until it is no longer than rtol
// times its larger end (dlarrb). If sure is false, eigenvalue k may lie outside at first, and
// the interval grows until counts prove that it does not.
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

// bracket moves the ends apart until eigenvalue k is between them.
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
	// tiny is an eigenvalue of a representation of norm about 1 that is as good as 0.
	tiny = 0x1p-300

	expansions      = 60
	expansionFactor = 4
)

func firstStep(lo, hi float64) float64 {
	return max(hi-lo, 4*tridiag.Ulp*max(math.Abs(lo), math.Abs(hi)), tiny)
}

// worthHalving says whether an interval is worth halving.
func worthHalving(lo, hi, rtol float64) bool {
	return hi-lo > rtol*max(math.Abs(lo), math.Abs(hi))+tiny
}

// middle divides an interval for accuracy relative to the eigenvalue: at its sign,
// then by its exponent, then by its mantissa.
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

const plunge = 0x1p-20
