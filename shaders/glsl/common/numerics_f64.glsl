// The number types of a kernel, in double precision (FP64).
//
// Every kernel that computes includes this header first; the other headers use its names.
//
//	real_t      what matrices and vectors in memory are stored in
//	work_t      what a kernel computes with
//	acc_t       what sums are accumulated in
//	REAL_BYTES  bytes of one real_t
#ifndef NUMERICS_GLSL
#define NUMERICS_GLSL
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require

#define real_t double
#define work_t double
#define acc_t double
#define REAL_BYTES 8

#endif
