// This header defines the number types of a kernel in single precision (FP32). See numerics.glsl.
//
// Devices may flush subnormal numbers to zero. MAGNITUDE_BITS therefore excludes the mantissa: a
// subnormal number has magnitude 0, so no kernel tries to scale it up.
#ifndef NUMERICS_GLSL
#define NUMERICS_GLSL

#define scalar_t float
#define real_t float
#define work_t float
#define acc_t float
#define SCALAR_BYTES 4
#define REAL_BYTES 4

#define real_bits_t uint64_t
#define REAL(bits) uintBitsToFloat(uint(bits))

#define SPLIT(x) uvec2(0u, floatBitsToUint(x))
#define JOIN(h) uintBitsToFloat((h).y)
#define EXPONENT_SHIFT 23
#define EXPONENT_FIELD 0xffu
#define EXPONENT_MOST 126
#define EXPONENT_BIAS 127
#define SIGN_BIT 0x80000000u
#define MAGNITUDE_BITS 0x7f800000u

#define TINY_EXPONENT -80
#define REGAUGE_LEAST -120

#ifndef SCALAR_C64
#include "numerics_real.glsl"
#endif

#endif
