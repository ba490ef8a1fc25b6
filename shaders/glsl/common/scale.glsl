// Powers of two, for scaling without rounding.
#ifndef SCALE_GLSL
#define SCALE_GLSL

const int SCALE_LEAST = -1022, SCALE_MOST = 1022; // 2^e and 2^-e are both normal numbers

// exponent_of is the least e in [SCALE_LEAST, SCALE_MOST] with |x| < 2^e, where there
// is one: |x|·2^-e is below 4 always, and at least 2^-53 unless x is zero.
int exponent_of(double x) {
	return clamp(int(unpackDouble2x32(x).y >> 20 & 0x7ffu) + SCALE_LEAST, SCALE_LEAST, SCALE_MOST);
}

// power_of_two is 2^e for SCALE_LEAST ≤ e ≤ SCALE_MOST.
double power_of_two(int e) {
	return packDouble2x32(uvec2(0u, uint(e + 1023) << 20));
}

#endif
