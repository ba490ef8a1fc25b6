// Double precision: what is stored, computed with, and summed in.
#ifndef NUMERICS_GLSL
#define NUMERICS_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require

#define real_t double
#define work_t double
#define acc_t double
#define REAL_BYTES 8

#endif
