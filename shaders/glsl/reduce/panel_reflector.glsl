// How a column of a panel becomes a reflector, and how workgroups that scaled their rows
// differently find a common scale.
//
// The kernels geqrf_panel_column and geqrf_panel_whole include this header, after panel.glsl. It
// defines Reflector, reflector, Exponents, common_exponent and regauge.
#ifndef PANEL_REFLECTOR_GLSL
#define PANEL_REFLECTOR_GLSL

// reciprocal returns 1/x to nearly full accuracy, even on devices whose division is not accurate: a
// Newton step corrects it.
acc_t reciprocal(acc_t x) {
	acc_t y = acc_t(1) / x;
	return fma(fma(-x, y, acc_t(1)), y, y);
}

// root returns √x for x > 0 to nearly full accuracy: a Newton step corrects it.
acc_t root(acc_t x) {
	acc_t y = sqrt(x);
	return fma(fma(-y, y, x), acc_t(0.5) / y, y);
}

// H = I − τ·v·vᵀ with H·(x0, x) = (β, 0) and v = (1, inverse·x). inverse = 0 says that H = I.
struct Reflector { acc_t beta, tau, inverse; };

// reflector computes H from the head x0 and the square x·x of the tail.
Reflector reflector(acc_t x0, acc_t square) {
	Reflector h = Reflector(x0, acc_t(0), acc_t(0));
	if (square >= acc_t(power_of_two(TINY_EXPONENT))) {
		acc_t norm = root(fma(x0, x0, square));
		h.beta = x0 >= acc_t(0) ? -norm : norm;
		h.inverse = reciprocal(x0 - h.beta);
		h.tau = fma(abs(x0), reciprocal(norm), acc_t(1));
	}
	return h;
}

// Exponents of the scales: [0] the panel's, [1 + g] workgroup g's.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Exponents { int at[]; };

// common_exponent returns the largest of the workgroups' exponents. All invocations must call it.
int common_exponent(Exponents exponents, uint groups) {
	int e = SCALE_LEAST;
	for (uint g = gl_LocalInvocationIndex; g < groups; g += LOCAL_SIZE) e = max(e, exponents.at[1 + g]);
	return int(group_max(acc_t(e)));
}

// regauge converts x, a dot product of workgroup g, to the common scale 2^-e. What it drops is
// below 2^TINY_EXPONENT, even after 2^32 such terms.
acc_t regauge(Exponents exponents, acc_t x, uint g, int e) {
	int d = 2 * (exponents.at[1 + g] - e);
	return d < REGAUGE_LEAST ? acc_t(0) : x * acc_t(power_of_two(d));
}

#endif
