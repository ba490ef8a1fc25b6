// This header defines the arithmetic of matrix entries that are real numbers. See numerics.glsl.
//
// The names are macros, so that a kernel has the same SPIR-V as with operators.
#ifndef NUMERICS_REAL_GLSL
#define NUMERICS_REAL_GLSL

#define of_real(r) (r)
#define one() work_t(1)
#define real_of(a) (a)
#define imag_of(a) real_t(0)
#define conjugate(a) (a)
#define conjugated(a, sign) (a)
#define real_if(is, a) (a)
#define mul(a, b) ((a) * (b))
#define multiply_by(a, b) a *= b
#define mad(a, b, c) fma(a, b, c)
#define mad_conj(a, b, c) fma(a, b, c)
#define square(a) ((a) * (a))
#define largest_part(a) abs(a)

#endif
