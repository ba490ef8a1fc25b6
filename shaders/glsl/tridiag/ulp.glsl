// This header defines EPS and ulp(), two measures of relative errors in double precision:
//
//	EPS    2^-53: the largest relative error of one rounding, also called unit roundoff (LAPACK's
//	       dlamch('E')). It is half the distance from 1 to the next larger number
//	ulp()  2^-52: the distance from 1 to the next larger number (LAPACK's dlamch('P'))
//
// The kernels for tridiagonal matrices include this header, after numerics_f64.glsl. ulp() is
// defined only if scale.glsl was included before.
#ifndef ULP_GLSL
#define ULP_GLSL

#define EPS 1.1102230246251565e-16lf

#ifdef SCALE_GLSL
work_t ulp() { return power_of_two(-52); }
#endif

#endif
