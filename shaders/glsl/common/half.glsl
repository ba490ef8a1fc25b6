// This header rounds numbers of single precision to half precision (FP16).
#ifndef HALF_GLSL
#define HALF_GLSL

// nearest_half returns the half-precision number nearest to x, ties to even, and infinity from
// 65520 on. It does not use the device's conversion to half precision: a device may round such a
// conversion in any direction, and NVIDIA's compiler (580.159) omits a conversion to half precision
// and back.
float nearest_half(float x) {
	uint bits = floatBitsToUint(x);
	float y = uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu); // 10 bits stay
	float size = abs(x);
	// Half-precision numbers below 2^-14 are the multiples of 2^-24. So are the single-precision
	// numbers from 0.5 to 1, and the addition rounds to one of them.
	precise float raised = size + 0.5;
	precise float small = raised - 0.5;
	if (size < 6.103515625e-5) y = x < 0 ? -small : small;
	return size < 65520.0 ? y : x * 1e38; // infinity, or NaN if x is NaN
}
#endif
