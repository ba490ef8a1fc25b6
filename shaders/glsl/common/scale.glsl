// Powers of two, to scale numbers without a rounding error.
//
// Included by the kernels that scale a vector before they square it (panels, bulge chasing) and by
// those that bisect. It defines exponent_of and power_of_two; it needs FP64.
#ifndef SCALE_GLSL
#define SCALE_GLSL

// Allowed exponents e: 2^e and 2^-e are both normal numbers.
const int SCALE_LEAST = -1022, SCALE_MOST = 1022;

// exponent_of returns the smallest e in [SCALE_LEAST, SCALE_MOST] with |x| < 2^e, or SCALE_MOST if
// |x| is larger than that. So for every finite x, |x|·2^-e is below 4, and it is at least 2^-52
// unless x is zero.
int exponent_of(double x) {
	return clamp(int(unpackDouble2x32(x).y >> 20 & 0x7ffu) + SCALE_LEAST, SCALE_LEAST, SCALE_MOST);
}

// power_of_two returns 2^e, exactly. e must be in [SCALE_LEAST, SCALE_MOST].
double power_of_two(int e) {
	return packDouble2x32(uvec2(0u, uint(e + 1023) << 20));
}

#endif
