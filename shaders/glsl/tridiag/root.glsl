// This header computes a first approximation of a reciprocal square root in double precision.
//
// stedc_leaf, ql.glsl and probe_numerics include this header, after numerics_f64.glsl. The header
// defines inverse_root_near.
#ifndef ROOT_GLSL
#define ROOT_GLSL

// inverse_root_near returns 1/√x with a relative error below 2^-20, for a normal x ≥ 2^-600. It
// computes the root in single precision, from the first 21 bits of x with an exponent of 0 or 1.
double inverse_root_near(double x) {
	int bits = int(unpackDouble2x32(x).y) - (1023 << 20);
	uint near = floatBitsToUint(inversesqrt(uintBitsToFloat(((uint(bits) & 0x1fffffu) << 3) + (127u << 23))));
	return packDouble2x32(uvec2(near << 29, (near >> 3) + (896u << 20) - (uint(bits >> 21) << 20)));
}

#endif
