// How a panel's column becomes a reflector, and workgroups that scaled their rows
// differently come to one scale.
//
// After panel.glsl.
#ifndef PANEL_REFLECTOR_GLSL
#define PANEL_REFLECTOR_GLSL

const int TINY_EXPONENT = -900;

// reciprocal is 1/x, right to the last bits even where division is not.
acc_t reciprocal(acc_t x) {
	acc_t y = acc_t(1) / x;
	return fma(fma(-x, y, acc_t(1)), y, y);
}

// root is √x for x > 0, alike.
acc_t root(acc_t x) {
	acc_t y = sqrt(x);
	return fma(fma(-y, y, x), acc_t(0.5) / y, y);
}

// H·(x0, x) = (β, 0) with v = (1, inverse·x); inverse = 0 says that H = I.
struct Reflector { acc_t beta, tau, inverse; };

// reflector makes it from the head and the square of the tail.
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

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Exponents { int at[]; };

// common_exponent is the largest of the workgroups'.
int common_exponent(Exponents exponents, uint groups) {
	int e = SCALE_LEAST;
	for (uint g = gl_LocalInvocationIndex; g < groups; g += LOCAL_SIZE) e = max(e, exponents.at[1 + g]);
	return int(group_max(acc_t(e)));
}

// regauge brings a product of workgroup g to the common scale; what it drops
// is below 2^-900 even after 2^32 such terms.
acc_t regauge(Exponents exponents, acc_t x, uint g, int e) {
	int d = 2 * (exponents.at[1 + g] - e);
	return d < -1000 ? acc_t(0) : x * acc_t(power_of_two(d));
}

#endif
