// This header computes a reflector from a column of a panel. It also finds a common scale for
// workgroups that have scaled their rows differently.
//
// The kernels geqrf_panel_column and geqrf_panel_whole include this header, after panel.glsl, and
// so does probe_numerics, which measures its errors. The header defines Reflector, reflector,
// Exponents, common_exponent and regauge.
#ifndef PANEL_REFLECTOR_GLSL
#define PANEL_REFLECTOR_GLSL

// reciprocal returns 1/x to nearly full accuracy, even on devices whose division is not accurate. A
// Newton step corrects the device's quotient.
real_t reciprocal(real_t x) {
	real_t y = real_t(1) / x;
	return fma(fma(-x, y, real_t(1)), y, y);
}

// root returns √x for x > 0 to nearly full accuracy. A Newton step corrects the device's root.
real_t root(real_t x) {
	real_t y = sqrt(x);
	return fma(fma(-y, y, x), real_t(0.5) / y, y);
}

// A Reflector is H = I − τ·v·vᴴ with Hᴴ·(x0, x) = (β, 0) and v = (1, inverse·x). x0 is the head of
// the column and x its tail. β is real. `inverse` = 0 means that H = I.
struct Reflector { real_t beta; acc_t tau, inverse; };

// reflector computes H from the head x0 of a column and from `square`, the sum of squares xᴴ·x of
// its tail x.
Reflector reflector(acc_t x0, real_t square) {
#ifdef COMPLEX
	// β must be real, so H ≠ I also if x0 alone has an imaginary part.
	Reflector h = Reflector(real_of(x0), acc_t(0), acc_t(0));
	real_t others = fma(imag_of(x0), imag_of(x0), square);
	if (others >= power_of_two(TINY_EXPONENT)) {
		bool positive = real_of(x0) >= real_t(0);
		real_t norm = root(fma(real_of(x0), real_of(x0), others));
		h.beta = positive ? -norm : norm;
		acc_t u0 = x0 - of_real(h.beta);
		h.inverse = reciprocal(fma(real_of(u0), real_of(u0), imag_of(u0) * imag_of(u0))) * conjugate(u0);
		h.tau = reciprocal(norm) * (positive ? x0 : -x0) + one();
	}
#else
	Reflector h = Reflector(x0, acc_t(0), acc_t(0));
	if (square >= acc_t(power_of_two(TINY_EXPONENT))) {
		acc_t norm = root(fma(x0, x0, square));
		h.beta = x0 >= acc_t(0) ? -norm : norm;
		h.inverse = reciprocal(x0 - h.beta);
		h.tau = fma(abs(x0), reciprocal(norm), acc_t(1));
	}
#endif
	return h;
}

// Exponents has the exponents of the powers of two by which rows are scaled: [0] is the exponent of
// the whole panel, and [1 + g] is the exponent of the rows of workgroup g.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Exponents { int at[]; };

// Each workgroup has scaled its rows by a power of two. common_exponent returns the largest of the
// exponents of all workgroups. All invocations must call common_exponent.
int common_exponent(Exponents exponents, uint groups) {
	int e = SCALE_LEAST;
	for (uint g = gl_LocalInvocationIndex; g < groups; g += LOCAL_SIZE) e = max(e, exponents.at[1 + g]);
	return int(group_max(real_t(e)));
}

// regauge converts x, a dot product that workgroup g computed with its own scale, to the common
// scale 2^-e. A result that is too small becomes zero. Even 2^32 results that became zero would
// together be below 2^TINY_EXPONENT.
acc_t regauge(Exponents exponents, acc_t x, uint g, int e) {
	int d = 2 * (exponents.at[1 + g] - e);
	return d < REGAUGE_LEAST ? acc_t(0) : x * power_of_two(d);
}

#endif
