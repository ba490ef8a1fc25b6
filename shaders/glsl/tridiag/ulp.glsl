// This header defines EPS and ulp(), two measures of relative errors of the number type:
//
//	EPS    2^-53, or 2^-24 in single precision: the largest relative error of one rounding, also
//	       called unit roundoff (LAPACK's dlamch('E')). It is half the distance from 1 to the next
//	       larger number
//	ulp()  2·EPS: the distance from 1 to the next larger number (LAPACK's dlamch('P'))
//
// The kernels for tridiagonal matrices include this header, after a numerics header. ulp() is
// defined only if scale.glsl was included before.
#ifndef ULP_GLSL
#define ULP_GLSL

#if defined(SCALAR_F32) || defined(SCALAR_C64)
#define EPS 5.9604644775390625e-8
#define ULP_EXPONENT -23
#else
#define EPS 1.1102230246251565e-16lf
#define ULP_EXPONENT -52
#endif

#ifdef SCALE_GLSL
real_t ulp() { return power_of_two(ULP_EXPONENT); }
#endif

#endif
