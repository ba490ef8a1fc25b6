// This header computes the roots of the pivots of Cholesky factorisations.
//
// Kernels that factor matrices include this header, after a numerics header. The header defines
// pivot_root.
#ifndef PIVOT_GLSL
#define PIVOT_GLSL
#include "scale.glsl"
#include "inverse_root.glsl"

// pivot_root returns √x, and sets `inverse` to 1/√x. Both have an error of an ulp or two. x must be
// positive and finite. No intermediate result overflows or vanishes.
real_t pivot_root(real_t x, out real_t inverse) {
	// q is x times an even power of two, and lies near 1. `near` becomes √q.
	int e = (exponent_of(x) + 1) >> 1;
	real_t q = x * power_of_two(-e) * power_of_two(-e), y = inverse_root(q), near = q * y;
	near = fma(fma(-near, near, q), real_t(0.5) * y, near); // a Newton step
	inverse = y * power_of_two(-e);
	return near * power_of_two(e);
}

#endif
