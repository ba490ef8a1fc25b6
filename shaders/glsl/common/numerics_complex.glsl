// This header defines the arithmetic of matrix entries that are complex numbers. See numerics.glsl.
//
// A complex number is a vector of its real and imaginary part. Other code must not take the parts
// of a complex number, and spirv.CheckComplex refuses kernels that do: most operators of vectors
// work on each part alone. The operators that are right for complex numbers are a + b, a - b, -a, a
// == b, and r * a for a real number r.
#ifndef NUMERICS_COMPLEX_GLSL
#define NUMERICS_COMPLEX_GLSL

#undef scalar_t
#undef work_t
#undef acc_t
#undef SCALAR_BYTES
#ifdef SCALAR_C128
#define scalar_t dvec2
#define SCALAR_BYTES 16
#else
#define scalar_t vec2
#define SCALAR_BYTES 8
#endif
#define work_t scalar_t
#define acc_t scalar_t
#define COMPLEX

#define of_real(r) scalar_t(r, 0)
#define multiply_by(a, b) a = mul(a, b)
#define one() scalar_t(1, 0)

real_t real_of(const scalar_t a) { return a.x; }
real_t imag_of(const scalar_t a) { return a.y; }
scalar_t conjugate(const scalar_t a) { return scalar_t(a.x, -a.y); }

scalar_t real_if(const bool is, const scalar_t a) { return scalar_t(a.x, is ? 0 : a.y); }

scalar_t conjugated(const scalar_t a, const uint sign) {
	uvec2 h = SPLIT(a.y);
	return scalar_t(a.x, JOIN(uvec2(h.x, h.y ^ sign)));
}

scalar_t mad(const scalar_t a, const scalar_t b, const scalar_t c) {
	return scalar_t(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}

scalar_t mad_conj(const scalar_t a, const scalar_t b, const scalar_t c) {
	return scalar_t(fma(a.x, b.x, fma(a.y, b.y, c.x)), fma(a.x, b.y, fma(-a.y, b.x, c.y)));
}

scalar_t mul(const scalar_t a, const scalar_t b) {
	return scalar_t(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x));
}

real_t square(const scalar_t a) { return fma(a.x, a.x, a.y * a.y); }
real_t largest_part(const scalar_t a) { return max(abs(a.x), abs(a.y)); }

#endif
