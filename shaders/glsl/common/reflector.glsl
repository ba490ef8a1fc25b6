// This header computes a Householder reflector from a vector x that is spread over many
// invocations.
//
// The kernels of bulge chasing and sytrd include this header, after a numerics header. The header
// defines Reflector, reflector, inverse_root, inverse and magnitude.
#ifndef REFLECTOR_GLSL
#define REFLECTOR_GLSL
#include "scale.glsl"

// A Reflector is the Householder reflector H = I − γ·u·uᵀ that maps a vector x to a multiple of the
// first unit vector e1. Its vector is u = x·2^-e − ν·e1 with ν = ∓‖x‖·2^-e, where e is an exponent
// that scales x. In LAPACK's terms, the vector v is u/u_0 and the factor τ is γ·u_0², where u_0 is
// the first element of u. The member `inverse` is 1/u_0. The member `beta` is the first element of
// H·x, without the scaling.
struct Reflector { work_t gamma, u0, inverse, beta, tau; };

// inverse_root returns 1/√q with an error of one or two ulps. q must be in the range of single
// precision, because the function first computes the result in single precision. It then refines
// the result by one step of third order.
work_t inverse_root(work_t q) {
	work_t y = work_t(inversesqrt(float(q)));
	work_t e = fma(-(q * y), y, work_t(1));
	return fma(y * e, fma(e, work_t(0.375), work_t(0.5)), y);
}

// inverse returns 1/z with an error of one or two ulps. z must be in the range of single precision,
// because the function first computes the result in single precision and then refines it.
//
// The errors must have the mean 0, because a matrix shrinks or grows with the sum of the errors of
// all reflectors. In single precision the first result is already exact except for the last bit, so
// z·y is 1 or one of its neighbours. Where fma() is not fused, the rounding of z·y would then have a
// mean of about 2^-26, because the neighbours of 1 have different distances. The refinement computes
// with 3/4·z, so that the product is near 3/4, whose neighbours have equal distances.
work_t inverse(work_t z) {
	work_t y = work_t(1.0f / float(z));
#ifdef SCALAR_F32
	work_t e = fma(work_t(-0.75) * z, y, work_t(0.75));
	return fma(y * work_t(4.0 / 3.0), e, y);
#else
	work_t e = fma(-z, y, work_t(1));
	return fma(y, fma(e, e, e), y);
#endif
}

// magnitude returns the upper bits of |x|, which contain the exponent. A larger |x| never has a
// smaller magnitude.
uint magnitude(work_t x) { return SPLIT(x).y & MAGNITUDE_BITS; }

// reflector computes H for a vector x. `head` is the first element of x·2^-e, and q is the sum of
// squares of x·2^-e. The exponent e must be such that q neither overflows nor vanishes. `kept` is
// the first element of x itself. If `turns` is false, the result is H = I. The function has no
// branch, because NVIDIA's compiler (580.159) would treat the branch as divergent, and the shuffles
// after the branch would become many times slower.
Reflector reflector(work_t head, work_t q, int e, work_t kept, bool turns) {
	work_t size = abs(head);
	q = turns ? q : work_t(1);
	work_t y = inverse_root(q), norm = q * y;
	norm = fma(fma(-norm, norm, q), work_t(0.5) * y, norm); // another Newton step, for √q
	Reflector h;
	h.gamma = turns ? inverse(fma(norm, size, q)) : work_t(0);
	h.tau = turns ? fma(size, y, work_t(1)) : work_t(0);
	h.inverse = h.gamma * norm; // 1/(|head| + norm)
	bool flip = head >= 0; // β gets the sign opposite to head, so that u_0 has no cancellation
	work_t beta = flip ? -norm : norm;
	h.u0 = head - beta;
	h.inverse = flip ? h.inverse : -h.inverse;
	h.beta = turns ? beta * power_of_two(e) : kept;
	return h;
}
#endif
