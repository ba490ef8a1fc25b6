// This header computes the modulus and the phase of a complex number.
//
// Kernels for complex numbers include this header, after a numerics header. The header defines
// polar and modulus.
#ifndef POLAR_GLSL
#define POLAR_GLSL
#include "reflector.glsl"

// polar returns |z| and sets `phase` to z/|z|. Both have an error of a few ulps. If z is real, they
// are exact: the phase is 1 or -1. The phase of 0 is 1. No intermediate result overflows or
// vanishes.
real_t polar(const work_t z, out work_t phase) {
	int e = exponent_of(largest_part(z));
	work_t near = power_of_two(-e) * z; // its larger part is near 1
	real_t q = square(near);
	if (imag_of(z) == 0 || q == 0) { // q = 0: the device takes subnormal numbers for zero
		phase = of_real(real_t(real_of(z) < 0 ? -1 : 1));
		return abs(real_of(z));
	}
	real_t y = inverse_root(q), norm = q * y;
	norm = fma(fma(-norm, norm, q), real_t(0.5) * y, norm); // another Newton step, for √q
	phase = y * near;
	return norm * power_of_two(e);
}

// modulus returns |z|, with the errors of polar.
real_t modulus(const work_t z) {
	work_t phase;
	return polar(z, phase);
}

#endif
