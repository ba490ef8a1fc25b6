package machine

import (
	"math"
	"math/bits"
)

// divisionError is |q − x/y| in ulps of q. If q is nearly right, the remainder x − q·y is a double,
// so that fma computes it without an error. x, y and q must be far from the ends of the range of
// exponents.
func divisionError(x, y, q float64) float64 {
	return inUlps(math.FMA(-q, y, x)/y, q)
}

// rootError is |s − √z| in ulps of s. It uses √z − s = (z − s²)/(√z + s). z must be positive, and
// far from the ends of the range of doubles.
func rootError(z, s float64) float64 {
	return inUlps(math.FMA(-s, s, z)/(2*s), s)
}

// inUlps is |err| in ulps of a normal number x. It is +Inf if err or x is not a number. An ulp is
// the distance between neighbouring doubles at x.
func inUlps(err, x float64) float64 {
	_, e := math.Frexp(x)
	u := math.Abs(err) / math.Ldexp(1, e-53)
	if math.IsNaN(u) || math.IsInf(x, 0) || x == 0 {
		return math.Inf(1)
	}
	return u
}

// mul is the product a·b as a number of 128 bits.
func mul(a, b uint64) (hi, lo uint64) { return bits.Mul64(a, b) }

// add is the sum of the 128-bit number hi:lo and b.
func add(hi, lo, b uint64) (uint64, uint64) {
	lo, carry := bits.Add64(lo, b, 0)
	return hi + carry, lo
}

// sub is the 128-bit number hi:lo minus b.
func sub(hi, lo, b uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(lo, b, 0)
	return hi - borrow, lo
}
