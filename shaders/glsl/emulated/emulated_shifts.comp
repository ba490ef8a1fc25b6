// emulated_shifts chooses the power of two that each row of a factor is scaled by, for emulated
// products. For a pair of factors side by side it chooses one for the joint row [2^c·X, Y].
//
// in:  first   norms of the rows of X. If there is one factor alone, first is null and c = 0
//      second  norms of the rows of Y
//      peaks   the peaks that emulated_norms found for the four factors of the pair of products
//              X·U + Y·V, in the order X, U, Y, V. The difference of two peaks is the logarithm
//              of a ratio of norms: c = ⌊½·(log(‖Y‖/‖X‖) + log(‖U‖/‖V‖))⌋. If one ratio has a zero
//              factor, c is the other logarithm alone. If both have one, c = 0
// out: joint   shifts s of the joint rows. s is NOT_FINITE where a row cannot be scaled
//      lone    shifts s + c of the rows of X. If there is one factor alone, lone is null
//
// in, out: refused  a counter. The kernel adds the number of rows that cannot be scaled
//
// float64 only
//
// The squared norm of a scaled and rounded row is below P/2, where P is the product of the moduli.
// bound and exponent give this limit: bound·2⁻²⁹·4^exponent ≈ P/2·(1−2⁻²⁰), rounded down. No shift is
// larger than SHIFT_MOST, also where a larger one is possible. Then the rounding error of an element
// is below 2^-SHIFT_MOST. A row that needs a shift below SHIFT_LEAST cannot be scaled.
//
// Grid: an invocation for each row; x and y together number the workgroups.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "shifts.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 128;

const int SHIFT_LEAST = -700, SHIFT_MOST = 960;

layout(push_constant, scalar) uniform Push {
	NormsIn first, second;
	Peaks peaks;
	ShiftsOut joint, lone;
	Counter refused;
	// Rows, at least 1.
	uint rows;
	// The limit of the squared norms of scaled rows, see above.
	uint bound;
	int exponent;
	// 1: c is as above, for the left factors X and Y. -1: c is negated. Then first and second are the
	// norms of the right factors U and V.
	int direction;
} p;

// quarters returns ⌈q/4^n⌉.
uint64_t quarters(uint64_t q, int n) {
	return n > 31 ? 1UL : (q + (1UL << (2 * n)) - 1) >> (2 * n);
}

// balance returns c.
int balance() {
	int x = int(p.peaks.at[0]), partner = int(p.peaks.at[1]), y = int(p.peaks.at[2]), other = int(p.peaks.at[3]);
	bool left = x != 0 && y != 0, right = partner != 0 && other != 0;
	int c = left && right ? (y - x + partner - other) >> 1 : left ? y - x : right ? partner - other : 0;
	return p.direction * c;
}

// shift_of returns the largest shift that the norm allows, without the limits SHIFT_LEAST and
// SHIFT_MOST.
int shift_of(Norm n) {
	if (n.q == 0) return 0;
	int h = half_log(n.q);
	uint64_t mu = h <= 14 ? n.q << (29 - 2 * h) : (n.q + (1UL << (2 * h - 29)) - 1) >> (2 * h - 29);
	return p.exponent - (n.e - 12) - h - (mu > p.bound ? 1 : 0);
}

void main() {
	uint row = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (row >= p.rows) return;
	Norm n = p.second.at[row];
	int c = 0;
	if (uint64_t(p.first) != 0) {
		c = balance();
		Norm x = p.first.at[row];
		if (x.e == NOT_FINITE || n.e == NOT_FINITE) {
			n.e = NOT_FINITE;
		} else if (n.q == 0) {
			n = Norm(x.q, x.e + c, 0);
		} else if (x.q != 0) {
			int e = max(x.e + c, n.e);
			n = Norm(quarters(x.q, e - x.e - c) + quarters(n.q, e - n.e), e, 0);
		}
	}
	int s = NOT_FINITE;
	if (n.e != NOT_FINITE) {
		s = shift_of(n);
		// Both s and s + c must lie between the limits.
		if (s < SHIFT_LEAST) s = NOT_FINITE;
		else s = min(min(s, SHIFT_MOST), SHIFT_MOST - max(c, 0));
		if (s != NOT_FINITE && s + min(c, 0) < SHIFT_LEAST) s = NOT_FINITE;
	}
	if (s == NOT_FINITE) atomicAdd(p.refused.at[0], 1);
	p.joint.at[row] = s;
	if (uint64_t(p.first) != 0) p.lone.at[row] = s == NOT_FINITE ? s : s + c;
}
