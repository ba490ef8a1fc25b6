// This header defines a bisection for one eigenvalue by Sturm counts without divisions. One
// invocation does the whole bisection.
//
// syev_batch and stebz_batch include this header, after numerics_f64.glsl and scale.glsl, and after
// the declaration of the shared arrays t_d and t_e. The header defines bisect, below and
// norm_exponent.
//
// stebz_narrow.comp uses the same counts. Its header proves their error bound, 3·ulp·norm, and the
// range of the numbers.
#ifndef STURM_BATCH_GLSL
#define STURM_BATCH_GLSL

const int LEAST = -120; // exponent of the smallest e²
const int LEVEL = 900; // exponent of the minors after scaling
const uint EIGHT = 8; // rows between two scalings

uint high(double x) { return unpackDouble2x32(x).y; }

// norm_exponent returns an exponent for the matrix T at index `base`: in each row the sum of the
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

// minor computes the next principal minor of T − x·I from `before` and `now`, and adds 1 to
// `changes` if the sign changes. e2 is the square of the off-diagonal element before row i.
void minor(uint i, double e2, double x, inout double before, inout double now, inout uint changes) {
	double next = fma(t_d[i] - x, now, -(e2 * before));
	changes += (high(next) ^ high(now)) >> 31;
	before = now;
	now = next;
}

// below returns the number of eigenvalues below x of the matrix T at index `base`. The proof in
// stebz_narrow.comp gives the error bound. The norm of T must be below 1. t_e must have the squares
// of the off-diagonal elements, at least 2^LEAST each.
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

// bisect returns eigenvalue k, counted from 0, of the matrix T at index `base`. Its error is at
// most 4·ulp·norm.
double bisect(uint base, uint n, uint k) {
	double lo_ = -1.0lf, hi_ = 1.0lf;
	// All bisections begin with the same interval, and only the comparison of k with the count
	// decides which half is taken. So the computed eigenvalues ascend with k.
	for (uint round = 0; round < 54; round++) {
		double x = 0.5lf * (lo_ + hi_);
		if (below(base, n, x) > k) hi_ = x;
		else lo_ = x;
	}
	// The lower end lo_ is the result, because it is exact for an eigenvalue that is the middle of
	// one of the intervals.
	return lo_;
}

#endif
