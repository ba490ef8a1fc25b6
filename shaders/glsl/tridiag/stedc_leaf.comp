// stedc_leaf solves the leaves of divide and conquer by implicit QL iteration (LAPACK dsteqr). A
// leaf is the block of rows and columns [lo, lo + n), n ≤ LEAF, of a tridiagonal matrix whose norm
// is about 1. For the block T of each leaf the kernel computes T = V·diag(λ)·Vᵀ.
//
// in:      leaves       the leaves (leaf.glsl)
//          e            the off-diagonal of the tridiagonal matrix
// in, out: d            the diagonal before; the eigenvalues after, ascending, or NaN if the
//                       iteration did not converge, which was never seen
// out:     first, last  the first and the last row of V, by column
//          q            V, n×n, from element `at` of the leaf on; not written if q is null
//
// One invocation iterates. When it has computed the rotations of a sweep, each invocation applies
// them to its own rows of V. The order of the operations is that of package dc in stages/tridiag,
// which explains the operations. The outputs must not overlap each other or the inputs. The inputs
// must be finite: the host checks this.
//
// Grid: one workgroup per leaf, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "leaf.glsl"
#include "ulp.glsl"
#include "root.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// LEAF is the largest order of a leaf, at least 1.
layout(constant_id = 1) const uint LEAF = 32;

layout(push_constant, scalar) uniform Push {
	Leaves leaves;
	RealsInOut d;
	Reals e;
	RealsOut first, last, q;
	uint count;
} p;

const uint PATIENCE = 8; // sweeps without an eigenvalue, before the direction changes

// d and e are the diagonal and the off-diagonal of the leaf's T. cos_ and sin_ are the cosines and
// sines of the rotations of a sweep.
shared work_t d[LEAF], e[LEAF], cos_[LEAF], sin_[LEAF];
shared work_t v[LEAF * LEAF]; // column-major, leading dimension LEAF

// [lo, hi] is the block of rows of the QL iteration. `state` tells whether the iteration has ended
// (DONE), continues (GOING) or did not converge (FAILED). The eigenvalues of the block converge at
// row hi if `turned` is true, otherwise at row lo.
shared uint lo, hi, state;
shared bool turned;
// Bit i % 32 of `zeros[i / 32]` says whether off-diagonal element i is negligible.
const uint ZERO_WORDS = (LEAF + 31) / 32;
shared uint zeros[ZERO_WORDS];
const uint DONE = 0, GOING = 1, FAILED = 2;

// at and off return the indices of diagonal and off-diagonal element i of the block, counted from
// the end at which the iteration converges.
uint at(uint i) { return turned ? hi - i : lo + i; }
uint off(uint i) { return turned ? hi - i - 1 : lo + i; }

// negligible tells whether off-diagonal element i is zero to working precision.
bool negligible(uint i) {
	real_t x = abs(e[i]);
	return x <= tiny() || x * x <= (EPS * abs(d[i])) * (EPS * abs(d[i + 1]));
}

// after returns the smallest i ≥ `from` for which off-diagonal element i is negligible. If `zero`
// is false, it returns the smallest such i for which element i is not negligible. If there is no
// such i, the result is LEAF or more.
uint after(uint from, bool zero) {
	uint mask = ~0u << from % 32;
	for (uint w = from / 32; w * 32 < LEAF; w++, mask = ~0u) {
		uint bits = (zero ? zeros[w] : ~zeros[w]) & mask;
		if (bits != 0) return w * 32 + findLSB(bits);
	}
	return LEAF;
}

// next sets lo and hi to the first block of rows, from row lo on, that has no negligible
// off-diagonal element. It also sets `turned`, the direction of the iteration. It returns false if
// there is no such block. It reads and clears the bits `zeros`.
bool next(uint n, inout uint futile) {
	uint a = after(lo, false), b = min(after(a + 1, true), n - 1);
	for (uint w = 0; w < ZERO_WORDS; w++) zeros[w] = 0;
	if (a + 1 >= n) return false;
	futile++;
	if (a != lo || b != hi) {
		turned = abs(d[b]) + abs(e[b - 1]) < abs(d[a]) + abs(e[a]);
		futile = 0;
	} else if (futile % PATIENCE == 0) turned = !turned;
	lo = a, hi = b;
	return true;
}

// fused tells whether fma() rounds only once. `odd` is any odd number below 2^20.
bool fused(uint odd) {
	real_t x = 1.0 + real_t(odd) * POWER(FUSED);
	return fma(x, x, -(x * x)) != 0.0;
}

// quotient returns a/r, rounded once. y is 1/r with an error of little more than half an ulp.
real_t quotient(real_t a, real_t r, real_t y) {
	real_t q = a * y;
	q = fma(fma(-q, r, a), y, q);
	return fma(fma(-q, r, a), y, q);
}

// rotate returns c, s and r such that c·g + s·f = r and c·f − s·g = 0, as the function `rotation`
// does. rotate has a shorter chain of dependent operations, because one approximation is the start
// for the square root and for both quotients. `quick` tells whether fma() rounds only once. In this
// case, and if no number is tiny, the computed remainders are exact. Then the last step rounds
// like an exact division and square root (Markstein, IBM J. Res. Dev. 34, 1990).
void rotate(bool quick, real_t g, real_t f, out real_t c, out real_t s, out real_t r) {
	real_t least = min(abs(g), abs(f)), most = max(abs(g), abs(f));
	if (!quick || SPLIT(least).y < POWER_BITS(QUICK_LEAST) || SPLIT(most).y < POWER_BITS(QUICK_MOST)) {
		rotation(g, f, c, s, r);
		return;
	}
	real_t h = g * g + f * f;
	real_t y = inverse_root_near(h), error = fma(-h, y * y, 1.0);
	y = fma(y * error, fma(error, 0.375, 0.5), y); // an iteration of third order for 1/√h
	real_t half_ = 0.5 * y;
	r = h * y;
	r = fma(fma(-r, r, h), half_, r);
	r = fma(fma(-r, r, h), half_, r);
	y = fma(fma(-r, y, 1.0), y, y);
	c = quotient(g, r, y), s = quotient(f, r, y);
}

// sweep does one implicit QL step with Wilkinson's shift on the block. `quick` tells whether fma()
// rounds only once.
void sweep(bool quick) {
	uint last = hi - lo;
	real_t first = e[off(0)];
	real_t g = (d[at(1)] - d[at(0)]) / (2.0 * first);
	real_t r = sqrt(g * g + 1.0);
	if (g < 0.0) r = -r;
	g = (d[at(last)] - d[at(0)]) + first / (g + r);
	real_t s = 1.0, c = 1.0, shift = 0.0, above = d[at(last)], coupling = e[off(last - 1)];
	for (uint i = last; i-- > 0;) {
		// The elements of T for the next rotation are loaded before the current rotation stores its
		// results.
		real_t below = d[at(i)], later = i > 0 ? e[off(i - 1)] : 0.0;
		real_t f = s * coupling, b = c * coupling;
		rotate(quick, g, f, c, s, r);
		if (i + 1 < last) e[off(i + 1)] = r;
		g = above - shift;
		r = (below - g) * s + 2.0 * c * b;
		shift = s * r;
		d[at(i + 1)] = g + shift;
		g = c * r - b;
		cos_[i] = c, sin_[i] = s;
		above = below, coupling = later;
	}
	d[at(0)] -= shift;
	e[off(0)] = g;
}

// turn applies the rotations of a sweep to one row of V.
void turn(uint row) {
	uint last = hi - lo;
	real_t y = v[at(last) * LEAF + row], x = v[at(last - 1) * LEAF + row];
	for (uint i = last; i-- > 0;) {
		real_t later = i > 0 ? v[at(i - 1) * LEAF + row] : 0.0, c = cos_[i], s = sin_[i];
		v[at(i + 1) * LEAF + row] = c * y + s * x;
		y = c * x - s * y;
		x = later;
	}
	v[at(0) * LEAF + row] = y;
}

void main() {
	uint index = workgroup(), t = gl_LocalInvocationIndex;
	if (index >= p.count) return;
	Leaf leaf = p.leaves.at[index];
	uint n = leaf.n;
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		d[i] = p.d.at[leaf.lo + i];
		if (i + 1 < n) e[i] = p.e.at[leaf.lo + i];
		for (uint c = 0; c < n; c++) v[c * LEAF + i] = c == i ? real_t(1) : real_t(0);
	}
	if (t == 0) lo = 0, hi = 0, turned = false;
	for (uint w = t; w < ZERO_WORDS; w += LOCAL_SIZE) zeros[w] = 0;
	uint futile = 0;
	bool quick = fused(2 * n + 1);
	barrier();
	for (uint sweeps = 0;; sweeps++) {
		for (uint i = t; i + 1 < n; i += LOCAL_SIZE) {
			if (negligible(i)) atomicOr(zeros[i / 32], 1u << i % 32);
		}
		barrier();
		if (t == 0) {
			state = DONE;
			if (next(n, futile)) {
				state = sweeps == SWEEPS * n ? FAILED : GOING;
				if (state == GOING) sweep(quick);
			}
		}
		barrier();
		if (state != GOING) break;
		for (uint row = t; row < n; row += LOCAL_SIZE) turn(row);
		barrier();
	}
	uint64_t q = uint64_t(p.q);
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		uint rank = 0;
		for (uint j = 0; j < n; j++) rank += uint(d[j] < d[i] || d[j] == d[i] && j < i);
		if (state == FAILED) rank = i;
		p.d.at[leaf.lo + rank] = state == FAILED ? JOIN(uvec2(0u, 0x7ff80000u)) : d[i];
		p.first.at[leaf.lo + rank] = v[i * LEAF];
		p.last.at[leaf.lo + rank] = v[i * LEAF + n - 1];
		cos_[i] = real_t(rank);
	}
	if (q == 0ul) return;
	barrier();
	RealsOut out_ = RealsOut(element(q, wide(leaf.at), 0, 0));
	for (uint x = t; x < n * n; x += LOCAL_SIZE) out_.at[x % n + uint(cos_[x / n]) * n] = v[x / n * LEAF + x % n];
}
