package machine

import (
	"math"
	"math/bits"
)

// divisionError is |q − x/y| in ulps of q. The remainder x − q·y of a q that is nearly right is a
// double, so fma makes no error in it. x, y and q must be far from the ends of the range of
// exponents.
func divisionError(x, y, q float64) float64 {
	return inUlps(math.FMA(-q, y, x)/y, q)
}

// rootError is |s − √z| in ulps of s: √z − s = (z − s²)/(√z + s). z must be positive, and far from
// the ends of the range.
func rootError(z, s float64) float64 {
	return inUlps(math.FMA(-s, s, z)/(2*s), s)
}

// inUlps is |err| in ulps of a normal number x, +Inf if either is no number. An ulp is the distance
// between neighbouring doubles at x.
func inUlps(err, x float64) float64 {
	_, e := math.Frexp(x)
	u := math.Abs(err) / math.Ldexp(1, e-53)
	if math.IsNaN(u) || math.IsInf(x, 0) || x == 0 {
		return math.Inf(1)
	}
	return u
}

// mul is a·b in 128 bits.
func mul(a, b uint64) (hi, lo uint64) { return bits.Mul64(a, b) }

// add is the number of 128 bits plus b.
func add(hi, lo, b uint64) (uint64, uint64) {
	lo, carry := bits.Add64(lo, b, 0)
	return hi + carry, lo
}

// sub is the number of 128 bits minus b.
func sub(hi, lo, b uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(lo, b, 0)
	return hi - borrow, lo
}
