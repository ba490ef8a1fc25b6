package spirv

import "math"

// Float16 holds the bits of a half-precision number in a buffer (IEEE 754 binary16: one bit for the
// sign, 5 bits for the exponent, 10 bits for the mantissa). It is only for storage, because Go has
// no half-precision arithmetic.
type Float16 uint16

const (
	// LargestFloat16 is the largest finite half-precision number.
	LargestFloat16 = 65504

	// Float16Ulp is the distance from 1 to the next half-precision number.
	Float16Ulp = 0x1p-10
)

// These are the parts of a half-precision number.
const (
	halfSign     = 0x8000
	halfInfinity = 0x7c00 // the bits of the exponent
	halfNaN      = 0x7e00
	halfMantissa = 10    // bits of the mantissa
	halfLeast    = -14   // exponent of the smallest normal number
	halfOverflow = 65520 // the smallest number that is rounded to infinity
)

// NewFloat16 returns x, rounded once to the nearest half-precision number, ties to even. Numbers of
// magnitude 65520 and more become infinite.
func NewFloat16(x float64) Float16 {
	sign := Float16(math.Float64bits(x) >> 48 & halfSign)
	size := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return sign | halfNaN
	case size >= halfOverflow:
		return sign | halfInfinity
	case size < 0x1p-25: // this also avoids the exponent of zero
		return sign
	}
	_, e := math.Frexp(size) // size < 2^e
	e = max(e-1, halfLeast)
	// The mantissa counts units of 2^(e−10). A mantissa that is rounded up to 2^11 is carried into
	// the exponent by the addition.
	units := Float16(math.RoundToEven(math.Ldexp(size, halfMantissa-e)))
	return sign | (Float16(e-halfLeast)<<halfMantissa + units)
}

// Float64 returns the number, which double precision holds exactly.
func (h Float16) Float64() float64 {
	units, e := float64(h&(1<<halfMantissa-1)), int(h>>halfMantissa&0x1f)
	switch {
	case e == 0x1f && units != 0:
		return math.NaN()
	case e == 0x1f:
		units, e = math.Inf(1), 0
	case e > 0:
		units += 1 << halfMantissa
		e--
	}
	x := math.Ldexp(units, e+halfLeast-halfMantissa)
	if h&halfSign != 0 {
		return -x
	}
	return x
}
