// This header defines sweeps of implicit QL iteration with Wilkinson's shift (LAPACK dsteqr). One
// invocation computes a sweep.
//
// syev_batch and steqr_batch include this header, after numerics.glsl, ulp.glsl and
// problem.glsl, after the declaration of the shared arrays t_d and t_e, and after the definition of
// the function put, which stores a rotation. The header defines next_block and sweep.
//
// The diagonal and the off-diagonal of a tridiagonal matrix T of order n are in elements [base,
// base + n) of t_d and t_e. The norm of T is about 1. One invocation computes the rotations of a
// sweep. It is called the generator. Other invocations apply the rotations to the rows of V, the
// matrix of eigenvectors. Only the generator reads and writes T, so T needs no barrier.
#ifndef QL_GLSL
#define QL_GLSL
#include "tridiag/range.glsl"
#include "tridiag/root.glsl"
#include "rotations.glsl"

// SWEEPS·n is the number of sweeps after which a matrix of order n is given up.
const uint SWEEPS = 30;
// PATIENCE is the number of sweeps without a new eigenvalue after which the iteration continues
// from the other end of the block.
const uint PATIENCE = 8;

// These variables are the members of BatchState with the same names.
uint lo, hi, futile;
bool turned;

// tiny returns the magnitude up to which an off-diagonal element of T counts as zero, whatever its
// neighbours are.
real_t tiny() { return POWER(QL_NEGLIGIBLE); }

// negligible tells whether an off-diagonal element e between the diagonal elements d and next is
// zero to working precision.
bool negligible(real_t e, real_t d, real_t next) {
	real_t x = abs(e);
	return x <= tiny() || x * x <= (EPS * abs(d)) * (EPS * abs(next));
}

// negligible tells whether element i of the off-diagonal of T is zero to working precision.
bool negligible(uint i) { return negligible(t_e[i], t_d[i], t_d[i + 1]); }

// next_block finds the block [lo, hi] of the next sweep of the matrix T at index `base`. It has at
// least two rows, and no negligible off-diagonal element. next_block also sets `turned`, the end at
// which the iteration converges, and `futile`. It returns false if there is no such block.
//
// If hi > lo, [lo, hi] is the block of the previous sweep, in which only the element at the end of
// convergence can be negligible. If it is, the block loses one row. Otherwise the first block from
// row lo on is found.
bool next_block(uint base, uint n) {
	if (hi > lo) {
		if (negligible(base + (turned ? hi - 1 : lo))) {
			futile = 0;
			if (turned) hi--;
			else lo++;
		} else if (++futile % PATIENCE == 0) turned = !turned;
		if (hi > lo) return true;
	}
	while (lo + 1 < n && negligible(base + lo)) lo++;
	hi = lo;
	if (lo + 1 >= n) return false;
	for (hi++; hi + 1 < n && !negligible(base + hi);) hi++;
	futile = 0;
	turned = abs(t_d[base + hi]) + abs(t_e[base + hi - 1]) < abs(t_d[base + lo]) + abs(t_e[base + lo]);
	return true;
}

// LEAST_SQUARES has the upper bits of the smallest sum of squares for which a rotation is computed.
const uint LEAST_SQUARES = POWER_BITS(QL_LEAST);
// SMALL has the upper bits of a number that is larger than every negligible off-diagonal element.
const uint SMALL = POWER_BITS(QL_SMALL);

// sweep does one step of the iteration on the block, and stores its rotations with the numbers `to`
// and following. If another off-diagonal element than the last one has become negligible, hi
// becomes lo, so that next_block looks for the next block.
//
// Rotation k acts on two numbers g and f, and makes f zero: c·g + s·f = r, c·f − s·g = 0. g and f
// of the next rotation follow from the previous ones. This chain is the critical path, so it has no
// branch, no division and no root:
//
//	h = g² + f²                   r = √h, c = g/r, s = f/r
//	c·(s·u + 2·c·b) − b  =  g·(f·u + 2·g·b)/h − b        the next g
//	(s·e)²               =  (f·e)²/h                     the next f²
//
// In these formulas, b is the off-diagonal element times the previous c, u is the next diagonal
// element minus the shifted diagonal element, and e is the next off-diagonal element. 1/h and 1/√h
// come from one approximation y by a step of third order, where h·y² = 1 − error with |error| <
// 2^-19. If h is below 2^QL_LEAST, there is no rotation, because f is negligible compared with the
// norm.
Sweep sweep(uint base, uint to) {
	uint count = hi - lo;
	// `first` and `last` are the indices of the diagonal elements at which the sweep begins and
	// ends, and `step` is the distance from one to the next, 1 or −1.
	uint first = base + (turned ? lo : hi), last = base + (turned ? hi : lo), step = turned ? 1u : ~0u;
	uint off = turned ? 0u : ~0u; // e between d[i] and d[i + step] is e[i + off]
	real_t end = t_e[last + ~off];
	real_t g = (t_d[last - step] - t_d[last]) / (2.0 * end);
	real_t r = sqrt(fma(g, g, 1.0));
	if (g < 0.0) r = -r;
	real_t above = t_d[first], coupling = t_e[first + off];
	g = (above - t_d[last]) + end / (g + r);
	real_t s = 1.0, c = 1.0, shift = 0.0, squares = coupling * coupling, before = 0.0;
	bool splits = false;
	uint at = first;
	for (uint k = 0; k < count; k++, at += step) {
		// Load the elements of T for the next rotation, which the current rotation does not change.
		real_t below = t_d[at + step], later = k + 1 < count ? t_e[at + step + off] : 0.0;
		real_t h = fma(g, g, squares), f = s * coupling, b = c * coupling, diagonal = above - shift, u = below - diagonal;
		real_t twice = g * fma(f, u, 2.0 * (g * b)), ahead = f * later;
		real_t y = inverse_root_near(h), z = y * y, error = fma(-h, z, 1.0);
		real_t inverse = fma(z, fma(error, error, error), z);
		y = fma(y * error, fma(error, 0.375, 0.5), y);
		bool turns = SPLIT(h).y >= LEAST_SQUARES;
		// To avoid branches, all cases are computed, and `mix` selects one.
		real_t root = h * y, cosine = g * y, sine = f * y, next = fma(twice, inverse, -b), square = RATIO_SQUARED(ahead, y, inverse);
		r = mix(g, root, turns);
		c = mix(1.0, cosine, turns), s = mix(0.0, sine, turns);
		g = mix(b, next, turns);
		squares = mix(0.0, square, turns);
		shift = s * fma(u, s, 2.0 * (c * b));
		real_t now = diagonal + shift;
		if (k > 0) {
			t_e[at - step + off] = r;
			// A small element is rare.
			if ((SPLIT(r).y & MAGNITUDE_BITS) < SMALL && negligible(r, before, now)) splits = true;
		}
		t_d[at] = now;
		put(to + k, c, s);
		above = below, coupling = later, before = now;
	}
	t_d[last] = above - shift;
	t_e[last + ~off] = g;
	if (splits) hi = lo;
	return Sweep(first - base, step, count);
}

#endif
