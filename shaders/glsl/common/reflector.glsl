// This header computes a Householder reflector from a vector x that is spread over many
// invocations.
//
// Kernels that compute reflectors, reciprocals or roots include this header, after a numerics
// header. The header defines Reflector, reflector, inverse_root, inverse and magnitude.
#ifndef REFLECTOR_GLSL
#define REFLECTOR_GLSL
#include "scale.glsl"

// A Reflector is the Householder reflector H = I − γ·u·uᵀ that maps a vector x to a multiple of the
// first unit vector e1. Its vector is u = x·2^-e − ν·e1 with ν = ∓‖x‖·2^-e, where e is an exponent
// that scales x. In LAPACK's terms, the vector v is u/u_0 and the factor τ is γ·u_0², where u_0 is
// the first element of u. The member `inverse` is 1/u_0. The member `beta` is the first element of
// H·x, without the scaling.
//
// For complex numbers, H = I − γ·u·uᴴ and Hᴴ·x = β·e1 with a real β, and τ is γ·|u_0|². The
// argument `turns` of the function reflector must be true if the first element of x has an
// imaginary part other than zero.
struct Reflector { work_t gamma, u0, inverse, beta, tau; };

#include "inverse_root.glsl"

// inverse returns 1/z with an error of one or two ulps. z must be in the range of single precision,
// because the function first computes the result in single precision and then refines it.
//
// The errors must have the mean 0, because a matrix shrinks or grows with the sum of the errors of
// all reflectors. In single precision the first result y is already exact except for the last bit,
// so z·y is 1 or a neighbour of 1 among the floats. Where fma() is not fused, the rounding errors
// of z·y would have a mean of about 2^-26, because the two neighbours of 1 have different distances
// from 1. In single precision the refinement therefore computes with 3/4·z. The product is then
// near 3/4, whose two neighbours have equal distances from it.
real_t inverse(real_t z) {
	real_t y = real_t(1.0f / float(z));
#if defined(SCALAR_F32) || defined(SCALAR_C64)
	real_t e = fma(real_t(-0.75) * z, y, real_t(0.75));
	return fma(y * real_t(4.0 / 3.0), e, y);
#else
	real_t e = fma(-z, y, real_t(1));
	return fma(y, fma(e, e, e), y);
#endif
}

// magnitude returns the upper bits of |x|, which contain the exponent. A larger |x| never has a
// smaller magnitude. For a complex number it is the larger magnitude of the two parts.
#ifndef COMPLEX
uint magnitude(work_t x) { return SPLIT(x).y & MAGNITUDE_BITS; }
#else
uint magnitude(work_t x) { return max(SPLIT(real_of(x)).y & MAGNITUDE_BITS, SPLIT(imag_of(x)).y & MAGNITUDE_BITS); }
#endif

// reflector computes H for a vector x. `head` is the first element of x·2^-e, and q is the sum of
// squares of x·2^-e. The exponent e must be such that q neither overflows nor vanishes. `kept` is
// the first element of x itself. If `turns` is false, the result is H = I. The function has no
// branch, because NVIDIA's compiler (580.159) would treat the branch as divergent, and the shuffles
// after the branch would become many times slower.
#ifndef COMPLEX
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
#else
Reflector reflector(work_t head, real_t q, int e, work_t kept, bool turns) {
	real_t size = abs(real_of(head));
	q = turns ? q : 1;
	real_t y = inverse_root(q), norm = q * y;
	norm = fma(fma(-norm, norm, q), real_t(0.5) * y, norm); // another Newton step, for √q
	bool flip = real_of(head) >= 0; // β gets the sign opposite to the real part of the head
	real_t beta = flip ? -norm : norm;
	y = flip ? y : -y; // −1/β
	Reflector h;
	h.u0 = head - of_real(beta);
	real_t scale = inverse(fma(2 * norm, size, square(head) + q)); // 1/|u_0|²
	h.gamma = turns ? y * scale * h.u0 : work_t(0);
	h.tau = turns ? one() + y * head : work_t(0);
	h.inverse = scale * conjugate(h.u0);
	h.beta = turns ? of_real(beta * power_of_two(e)) : real_if(true, kept);
	return h;
}
#endif
#endif
