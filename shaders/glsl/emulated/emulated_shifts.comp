// emulated_shifts chooses the power of two that each row of a factor is scaled by, for emulated
// products. For a pair of products X·U + Y·V, it chooses a power for each joint row [2^c·X, Y].
//
// in:  first   norms of the rows of X. For a single product, first is null and c = 0
//      second  norms of the rows of Y, or of the only left factor of a single product
//      peaks   the peaks that emulated_norms found for the factors X, U, Y, V, in this order. A
//              peak is the logarithm of the largest norm ‖·‖ of a row, plus a constant. It is 0
//              for a factor of zeros
// out: joint   shifts s of the joint rows. s is NOT_FINITE where a row cannot be scaled
//      lone    shifts s + c of the rows of X. For a single product, lone is null
//
// in, out: refused  a counter. The kernel adds the number of rows that cannot be scaled
//
// The exponent is c = ⌊½·(log(‖Y‖/‖X‖) + log(‖U‖/‖V‖))⌋. The logarithm of a ratio is the difference
// of two peaks. If one of the ratios has a zero factor, c is the logarithm of the other ratio. If
// both ratios have a zero factor, c = 0.
//
// float64 only
//
// The squared norm of a scaled and rounded row must be below P/2, where P is the product of the
// moduli. bound and exponent give this limit: bound·2⁻²⁹·4^exponent ≈ P/2·(1−2⁻²⁰), rounded down. A
// row that needs a shift below SHIFT_LEAST cannot be scaled. Small rows need large shifts. Shifts
// have no upper limit: with a shift of 1074 or more, every double becomes an integer without any
// rounding.
//
// Grid: one invocation for each row; x and y together number the workgroups.
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

const int SHIFT_LEAST = -700;

layout(push_constant, scalar) uniform Push {
	NormsIn first, second;
	Peaks peaks;
	ShiftsOut joint, lone;
	Counter refused;
	// rows is the number of rows, at least 1.
	uint rows;
	// bound and exponent give the limit of the squared norms of scaled rows, which is
	// bound·2⁻²⁹·4^exponent.
	uint bound;
	int exponent;
	// `direction` is 1 when the kernel scales the left factors X and Y of X·U + Y·V, and −1 for the
	// right factors U and V. For the right factors, `first` and `second` point to the norms of the
	// rows of U and V. The exponent c that balances the two products is then −c.
	int direction;
} p;

// quarters returns ⌈q/4^n⌉. The argument n is not negative.
uint64_t quarters(uint64_t q, int n) {
	return n > 31 ? 1UL : (q + (1UL << (2 * n)) - 1) >> (2 * n);
}

// balance returns direction·c.
int balance() {
	int x = int(p.peaks.at[0]), partner = int(p.peaks.at[1]), y = int(p.peaks.at[2]), other = int(p.peaks.at[3]);
	bool left = x != 0 && y != 0, right = partner != 0 && other != 0;
	int c = left && right ? (y - x + partner - other) >> 1 : left ? y - x : right ? partner - other : 0;
	return p.direction * c;
}

// shift_of returns the largest shift s for which the squared norm of the scaled row is within the
// limit, without the lower limit SHIFT_LEAST.
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
		// A row cannot be scaled if one of its shifts, s or s + c, is below SHIFT_LEAST.
		if (s + min(c, 0) < SHIFT_LEAST) s = NOT_FINITE;
	}
	if (s == NOT_FINITE) atomicAdd(p.refused.at[0], 1);
	p.joint.at[row] = s;
	if (uint64_t(p.first) != 0) p.lone.at[row] = s == NOT_FINITE ? s : s + c;
}
