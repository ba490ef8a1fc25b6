// This header makes powers of two, which scale numbers without a rounding error.
//
// Kernels that scale numbers include this header, after a numerics header: for example panels and
// bulge chasing, which scale a vector before they square it, and kernels that bisect. The header
// defines exponent_of and power_of_two.
#ifndef SCALE_GLSL
#define SCALE_GLSL

// SCALE_LEAST and SCALE_MOST are the smallest and the largest exponent e such that 2^e and 2^-e are
// both normal numbers.
const int SCALE_LEAST = -EXPONENT_MOST, SCALE_MOST = EXPONENT_MOST;

// exponent_of returns the smallest e in [SCALE_LEAST, SCALE_MOST] with |x| < 2^e, or SCALE_MOST if
// |x| ≥ 2^SCALE_MOST. So |x|·2^-e is below 4 for every finite x. If x is not zero, |x|·2^-e is at
// least 2^-52 (2^-23 for float32).
int exponent_of(real_t x) {
	return clamp(int(SPLIT(x).y >> EXPONENT_SHIFT & EXPONENT_FIELD) + SCALE_LEAST, SCALE_LEAST, SCALE_MOST);
}

// power_of_two returns 2^e, exactly. e must be in [SCALE_LEAST, SCALE_MOST].
real_t power_of_two(int e) {
	return JOIN(uvec2(0u, uint(e + EXPONENT_BIAS) << EXPONENT_SHIFT));
}

#endif
