// This header scales the matrices of a batch by powers of two.
//
// The kernels of batches that scale matrices or values include this header, after a numerics header
// and scale.glsl. The header defines these names:
//
//	magnitude(x)      a number that is larger for a larger |x|, at least 0. The largest one of a
//	                  matrix determines its exponent
//	exponent_for(m)   the exponent e of a matrix with the largest magnitude m, such that |x|·2^-e
//	                  is below 4 for all its entries x, and if x is a normal number for the largest
//	                  one at least 1/2
//	scale_t           the type of scale_for(e), which represents 2^-e
//	scaled(x, s)      x·2^-e for s = scale_for(e)
//	remains(m, s, e)  exponent_for the largest scaled entry, if s = scale_for(e)
//	unscaling(e)      the kernels multiply values by 2^unscaling(e). The host does the rest
//
// The names entry_magnitude(x) and entry_scaled(x, s) are magnitude and `scaled` for an entry of a
// matrix. The magnitude of a complex number is that of its larger part, so that |x|·2^-e is below
// 4·√2.
//
// In single precision a device may replace subnormal numbers by zero, and eigenvalues may be out of
// range. Therefore subnormal entries are converted as integers, the largest scaled entry is at
// least 1/2 even if it is subnormal, and the host multiplies values by 2^e in double precision.
#ifndef SCALING_GLSL
#define SCALING_GLSL

#if defined(SCALAR_F32) || defined(SCALAR_C64)
// BELOW is 1 minus the exponent of the smallest number, 2^-149.
const int BELOW = 150;

// magnitude returns 1 for zero, otherwise e + BELOW for the e with 2^(e−1) ≤ |x| < 2^e.
real_t magnitude(real_t x) {
	uint bits = floatBitsToUint(x) & ~SIGN_BIT;
	uint field = bits >> EXPONENT_SHIFT;
	return real_t(field > 0 ? int(field) + BELOW - EXPONENT_MOST : findMSB(bits) + 2);
}

int exponent_for(real_t m) { return min(int(m) - BELOW, SCALE_MOST); }

#define scale_t int
#define scale_for(e) (e)

// scaled returns x·2^-e for an entry x of a matrix with the exponent e. If the matrix has a normal
// entry, 2^-e is a normal number, and the function multiplies normal entries by it. A subnormal x is
// computed from its bits, as an integer times 2^-149, because the device may replace x by zero.
real_t scaled(real_t x, scale_t e) {
	uint bits = floatBitsToUint(x), integer = bits & ((1u << EXPONENT_SHIFT) - 1);
	if ((bits & MAGNITUDE_BITS) != 0) return x * power_of_two(-e);
	int power = 1 - BELOW - e;
	real_t y = power < SCALE_LEAST ? 0.0 : real_t(integer) * power_of_two(power);
	return (bits & SIGN_BIT) != 0 ? -y : y;
}

#define remains(m, s, e) (int(m) - BELOW - (e))
#define unscaling(e) 0
#else
#define magnitude(x) abs(x)
#define exponent_for(m) exponent_of(m)
#define scale_t real_t
#define scale_for(e) power_of_two(-(e))
#define scaled(x, s) ((x) * (s))
#define remains(m, s, e) exponent_of((m) * (s))
#define unscaling(e) (e)
#endif

#ifdef COMPLEX
real_t entry_magnitude(scalar_t x) { return max(magnitude(real_of(x)), magnitude(imag_of(x))); }
scalar_t entry_scaled(scalar_t x, scale_t e) { return scalar_t(scaled(real_of(x), e), scaled(imag_of(x), e)); }
#else
#define entry_magnitude(x) magnitude(x)
#define entry_scaled(x, s) scaled(x, s)
#endif

#endif
