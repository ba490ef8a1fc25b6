// This header defines the number types of a kernel in double precision (FP64).
//
// Kernels that exist only for float64 include this header first. Other kernels include
// numerics.glsl instead. The comment of numerics.glsl explains the names.
#ifndef NUMERICS_GLSL
#define NUMERICS_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require

#define scalar_t double
#define real_t double
#define work_t double
#define acc_t double
#define SCALAR_BYTES 8
#define REAL_BYTES 8

#define real_bits_t double
#define REAL(bits) (bits)

#define SPLIT(x) unpackDouble2x32(x)
#define JOIN(h) packDouble2x32(h)
#define EXPONENT_SHIFT 20
#define EXPONENT_FIELD 0x7ffu
#define EXPONENT_MOST 1022
#define EXPONENT_BIAS 1023
#define SIGN_BIT 0x80000000u
#define MAGNITUDE_BITS 0x7fffffffu

#define TINY_EXPONENT -900
#define REGAUGE_LEAST -1000

#ifndef SCALAR_C128
#include "numerics_real.glsl"
#endif

#endif
