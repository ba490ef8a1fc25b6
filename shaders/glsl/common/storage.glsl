// This header selects the number types of a kernel that may store its matrices in half precision.
//
// Such a kernel includes this header in place of numerics.glsl. The generator then also compiles
// the kernel with SCALAR_F16 defined. That kernel computes in single precision, and it reads and
// writes half-precision numbers in memory (FP16). The names of numerics.glsl keep their meanings:
// only scalar_t, the type of matrix entries in memory, is float16_t. The device only converts
// between half and single precision. Half-precision arithmetic is not needed.
//
// All conversions are explicit: work_t(x) when a kernel reads a number x from memory, and STORED(x)
// when it writes x to memory.
//
//	ROUNDED(x)  the number x as it would be read after a store. Kernels use ROUNDED for numbers
//	            that stay in shared memory, so that the result does not depend on the place of a
//	            number. For other number types ROUNDED(x) is x
//	STORED(x)   x in the type of memory, rounded once
#ifndef STORAGE_GLSL
#define STORAGE_GLSL
#ifdef SCALAR_F16
#define SCALAR_F32
#endif
#include "numerics.glsl"
#ifdef SCALAR_F16
#extension GL_EXT_shader_16bit_storage : require
#include "half.glsl"
#undef scalar_t
#undef SCALAR_BYTES
#define scalar_t float16_t
#define SCALAR_BYTES 2
#define ROUNDED(x) nearest_half(x)
#else
#define ROUNDED(x) (x)
#endif
#define STORED(x) scalar_t(ROUNDED(x))
#endif
