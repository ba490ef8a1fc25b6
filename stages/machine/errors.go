package machine

import (
	"math"
	"math/bits"
)

// divisionError returns |q − x/y| in ulps of q. If q is nearly correct, the remainder x − q·y is a
// double, so fma computes it exactly. x, y and q must be far from the ends of the exponent range.
func divisionError(x, y, q float64) float64 {
	return inUlps(math.FMA(-q, y, x)/y, q)
}

// rootError returns |s − √z| in ulps of s. It uses √z − s = (z − s²)/(√z + s). z must be positive
// and far from the ends of the exponent range.
func rootError(z, s float64) float64 {
	return inUlps(math.FMA(-s, s, z)/(2*s), s)
}

// inUlps returns |err| in ulps of a normal number x. The result is +Inf if err or x is NaN, or if x
// is infinite or 0. An ulp is the distance between neighbouring doubles at x.
func inUlps(err, x float64) float64 {
	_, e := math.Frexp(x)
	u := math.Abs(err) / math.Ldexp(1, e-53)
	if math.IsNaN(u) || math.IsInf(x, 0) || x == 0 {
		return math.Inf(1)
	}
	return u
}

func mul(a, b uint64) (hi, lo uint64) { return bits.Mul64(a, b) }

// add returns the sum of b and the 128-bit number with the words hi and lo.
func add(hi, lo, b uint64) (uint64, uint64) {
	lo, carry := bits.Add64(lo, b, 0)
	return hi + carry, lo
}

// sub returns the 128-bit number with the words hi and lo, minus b.
func sub(hi, lo, b uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(lo, b, 0)
	return hi - borrow, lo
}
