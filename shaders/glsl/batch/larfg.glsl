// This header computes Householder reflectors of complex vectors (LAPACK zlarfg), for the
// reductions of Hermitian matrices to tridiagonal form.
//
// The kernels of batches that reduce matrices include this header, after numerics.glsl and before
// scaling.glsl, which defines a macro with the name of a function of reflector.glsl. It defines
// larfg and the functions of polar.glsl for complex numbers, and nothing for real numbers.
#ifndef LARFG_GLSL
#define LARFG_GLSL
#ifdef COMPLEX
#include "polar.glsl"
#include "tridiag/range.glsl"

// larfg computes the reflector H = I − τ·v·vᴴ with Hᴴ·x = β·e1, for a vector x that begins with
// alpha. `squares` is the sum of |x_i|² of the other elements. β is real, v_0 = 1, and the other
// elements of v are x_i·scale. If the imaginary part of alpha and all other elements are negligible
// in a matrix of norm 1, then H = I.
void larfg(scalar_t alpha, real_t squares, out real_t beta, out scalar_t tau, out scalar_t scale) {
	real_t x = real_of(alpha), y = imag_of(alpha), rest = fma(y, y, squares);
	beta = x, tau = scalar_t(0), scale = scalar_t(0);
	if (rest > power_of_two(2 * TINY)) {
		beta = sqrt(fma(x, x, rest));
		if (x > 0.0) beta = -beta;
		scalar_t u = alpha - of_real(beta);
		tau = (-1.0 / beta) * u;
		scale = (1.0 / square(u)) * conjugate(u);
	}
}

#endif
#endif
