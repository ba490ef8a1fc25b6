// This header defines a bisection for one eigenvalue by Sturm counts without divisions. One
// invocation does the whole bisection.
//
// syev_batch and stebz_batch include this header, after numerics.glsl and scale.glsl, and after
// the declaration of the shared arrays t_d and t_e. The header defines bisect, below and
// norm_exponent.
//
// stebz_narrow.comp uses the same counts. Its header proves their error bound, 3·ulp·norm, and the
// range of the numbers.
#ifndef STURM_BATCH_GLSL
#define STURM_BATCH_GLSL
#include "tridiag/range.glsl"

uint high(real_t x) { return SPLIT(x).y; }

// norm_exponent returns an exponent for the matrix T at index `base`: in each row the sum of the
// magnitudes is below 2^exponent.
int norm_exponent(uint base, uint n) {
	real_t most = 0.0;
	for (uint i = 0; i < n; i++) {
		real_t sum = abs(t_d[base + i]);
		if (i > 0) sum += abs(t_e[base + i - 1]);
		if (i + 1 < n) sum += abs(t_e[base + i]);
		most = max(most, sum);
	}
	return exponent_of(most);
}

// minor computes the next principal minor of T − x·I from `before` and `now`, and adds 1 to
// `changes` if the sign changes. e2 is the square of the off-diagonal element before row i.
void minor(uint i, real_t e2, real_t x, inout real_t before, inout real_t now, inout uint changes) {
	real_t next = fma(t_d[i] - x, now, -(e2 * before));
	changes += (high(next) ^ high(now)) >> 31;
	before = now;
	now = next;
}

// below returns the number of eigenvalues below x of the matrix T at index `base`. The proof in
// stebz_narrow.comp gives the error bound. The norm of T must be below 1. t_e must have the squares
// of the off-diagonal elements, at least 2^LEAST each.
uint below(uint base, uint n, real_t x) {
	uint changes = 0, i = 0;
	real_t before = 0.0, now = power_of_two(STURM_LEVEL);
	for (; i < n; i++) {
		minor(base + i, i > 0 ? t_e[base + i - 1] : 0.0, x, before, now, changes);
		if (i % STURM_ROWS == STURM_ROWS - 1) {
			uint exponent = max(high(before) & ~SIGN_BIT, high(now) & ~SIGN_BIT) >> EXPONENT_SHIFT;
			real_t back = JOIN(uvec2(0u, (EXPONENT_BIAS + STURM_LEVEL + EXPONENT_BIAS - exponent) << EXPONENT_SHIFT));
			before *= back;
			now *= back;
		}
	}
	return changes;
}

// bisect returns eigenvalue k, counted from 0, of the matrix T at index `base`. Its error is at
// most 4·ulp·norm.
real_t bisect(uint base, uint n, uint k) {
	real_t lo_ = -1.0, hi_ = 1.0;
	// All bisections begin with the same interval, and only the comparison of k with the count
	// decides which half is taken. So the computed eigenvalues ascend with k.
	for (uint round = 0; round < STURM_ROUNDS; round++) {
		real_t x = 0.5 * (lo_ + hi_);
		if (below(base, n, x) > k) hi_ = x;
		else lo_ = x;
	}
	// The lower end lo_ is the result, because it is exact for an eigenvalue that is the middle of
	// one of the intervals.
	return lo_;
}

#endif
