// Bisection of one eigenvalue by Sturm counts without divisions, by one invocation.
//
// syev_batch and stebz_batch include this header, after numerics_f64.glsl and scale.glsl, and
// after the declaration of the shared arrays t_d and t_e. It defines bisect.
//
// The counts are those of stebz_narrow.comp, which has the proof of their error bound, 3·ulp·norm,
// and of their range.
#ifndef STURM_BATCH_GLSL
#define STURM_BATCH_GLSL

const int LEAST = -120; // exponent of the smallest e²
const int LEVEL = 900; // exponent of the minors after scaling
const uint EIGHT = 8; // rows between two scalings

// high returns the word with the sign and the exponent of x.
uint high(double x) { return unpackDouble2x32(x).y; }

// norm_exponent returns the exponent of a bound of the norm of the T at base: each row's sum of
// magnitudes is below 2^exponent.
int norm_exponent(uint base, uint n) {
	double most = 0.0lf;
	for (uint i = 0; i < n; i++) {
		double sum = abs(t_d[base + i]);
		if (i > 0) sum += abs(t_e[base + i - 1]);
		if (i + 1 < n) sum += abs(t_e[base + i]);
		most = max(most, sum);
	}
	return exponent_of(most);
}

// minor computes the next principal minor of T − x·I, and adds a change of sign.
void minor(uint i, double e2, double x, inout double before, inout double now, inout uint changes) {
	double next = fma(t_d[i] - x, now, -(e2 * before));
	changes += (high(next) ^ high(now)) >> 31;
	before = now;
	now = next;
}

// below returns the number of eigenvalues below x, within the error bound, of a T at base whose norm
// is below 1. t_e has e², at least 2^LEAST.
uint below(uint base, uint n, double x) {
	uint changes = 0, i = 0;
	double before = 0.0lf, now = power_of_two(LEVEL);
	for (; i < n; i++) {
		minor(base + i, i > 0 ? t_e[base + i - 1] : 0.0lf, x, before, now, changes);
		if (i % EIGHT == EIGHT - 1) {
			uint exponent = max(high(before) & 0x7fffffffu, high(now) & 0x7fffffffu) >> 20;
			double back = packDouble2x32(uvec2(0u, (1023 + LEVEL + 1023 - exponent) << 20));
			before *= back;
			now *= back;
		}
	}
	return changes;
}

// bisect returns eigenvalue k, from 0, of that T, to within 4·ulp of its norm.
double bisect(uint base, uint n, uint k) {
	double lo_ = -1.0lf, hi_ = 1.0lf;
	// The intervals are the same for all k, so that values ascend: a count is compared with k alone.
	for (uint round = 0; round < 54; round++) {
		double x = 0.5lf * (lo_ + hi_);
		if (below(base, n, x) > k) hi_ = x;
		else lo_ = x;
	}
	// An eigenvalue that is the middle of some interval is found exactly.
	return lo_;
}

#endif
