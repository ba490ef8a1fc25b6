// This header computes a first approximation of a reciprocal square root.
//
// stedc_leaf, ql.glsl and probe_numerics include this header, after a numerics header. The header
// defines inverse_root_near.
#ifndef ROOT_GLSL
#define ROOT_GLSL

// inverse_root_near returns 1/√x with a relative error below 2^-20, for a normal x ≥ 2^-600. It
// computes the root in single precision: for a double x from its first 21 bits, with an exponent of
// 0 or 1.
#if defined(SCALAR_F32) || defined(SCALAR_C64)
#define inverse_root_near(x) inversesqrt(x)
#else
real_t inverse_root_near(real_t x) {
	int bits = int(SPLIT(x).y) - (1023 << 20);
	uint near = floatBitsToUint(inversesqrt(uintBitsToFloat(((uint(bits) & 0x1fffffu) << 3) + (127u << 23))));
	return JOIN(uvec2(near << 29, (near >> 3) + (896u << 20) - (uint(bits >> 21) << 20)));
}
#endif

#endif
