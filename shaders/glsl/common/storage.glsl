// This header selects the number types of a kernel that may store its matrices in half precision.
//
// Such a kernel includes this header in place of numerics.glsl. The generator then also compiles the
// kernel with SCALAR_F16 defined. That kernel computes in single precision, and it reads and writes
// half-precision numbers in memory (FP16). The names of numerics.glsl keep their meanings: only
// scalar_t, the type of matrix entries in memory, is float16_t. The device only converts between
// half and single precision. Half-precision arithmetic is not needed.
//
// All conversions are explicit: work_t(x) when a kernel reads a number x from memory, and STORED(x)
// when it writes x to memory.
//
//	ROUNDED(x)  the number x as it would be read after a store. Kernels use it for numbers that stay
//	            in shared memory, so that the result does not depend on the place of a number. For
//	            other number types it is x
//	STORED(x)   x in the type of memory, rounded once
#ifndef STORAGE_GLSL
#define STORAGE_GLSL
#ifdef SCALAR_F16
#define SCALAR_F32
#endif
#include "numerics.glsl"
#ifdef SCALAR_F16
#extension GL_EXT_shader_16bit_storage : require
#undef scalar_t
#undef SCALAR_BYTES
#define scalar_t float16_t
#define SCALAR_BYTES 2
#define ROUNDED(x) nearest_half(x)

// nearest_half returns the half-precision number nearest to x, ties to even, and infinity from 65520
// on. It does not use the device's conversion to half precision: a device may round that in any
// direction, and NVIDIA's compiler (580.159) omits a conversion to half precision and back.
work_t nearest_half(work_t x) {
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
#else
#define ROUNDED(x) (x)
#endif
#define STORED(x) scalar_t(ROUNDED(x))
#endif
