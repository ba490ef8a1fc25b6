// This header computes inverse square roots.
//
// Kernels that need roots and no reflectors include this header, after a numerics header. It defines
// inverse_root, which reflector.glsl has, too.
#ifndef INVERSE_ROOT_GLSL
#define INVERSE_ROOT_GLSL

// inverse_root returns 1/√q with an error of one or two ulps. q must be in the range of single
// precision, because the function first computes the result in single precision. It then refines
// the result by one step of third order.
real_t inverse_root(real_t q) {
	real_t y = real_t(inversesqrt(float(q)));
	real_t e = fma(-(q * y), y, real_t(1));
	return fma(y * e, fma(e, real_t(0.375), real_t(0.5)), y);
}

#endif
