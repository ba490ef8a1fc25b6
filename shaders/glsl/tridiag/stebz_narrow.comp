// float64 only
//
// stebz_narrow brackets eigenvalues of a symmetric tridiagonal matrix T by Sturm counts without
// divisions. After it, stebz needs only a few of its own counts, which use divisions.
//
// variant: stebz_narrow
// variant: stebz_grid GRID
//
// in:      rows, start  the scaled T and its data, see stebz_prepare
//
// stebz_grid: a grid of `points` points divides the interval of start evenly. Invocation i counts
// the eigenvalues below point first + i of the grid, if the grid has this point.
//
// out:     counts       the count at each point
//
// stebz_narrow: each team of invocations (sturm_tree.glsl) brackets one eigenvalue. Team i brackets
// eigenvalue number first + i, counted from 0, for i < count. A dispatch does at most rounds·LEVELS
// halvings.
//
// in:      grid         the counts of stebz_grid; only the first dispatch (fresh ≠ 0) reads them
// in, out: lo, hi       brackets: the count at lo is ≤ first + i, the count at hi is above. At the
//                       end a bracket is no longer than 2·unit()
//
// The count at x is the number of eigenvalues below x. It is the number of changes of sign in the
// principal minors p(i) of T − x·I, where d and e are the diagonal and the off-diagonal of T:
//
//     p(i+1) = (d(i) − x)·p(i) − e²(i−1)·p(i−1)        p(0) = 1, p(−1) = 0.
//
// Error bound. The computed minors have one rounding for d − x, one for e²·p, and one for the
// difference (two where fma is not fused). So they satisfy
//
//     p(i+1) = (d(i) − x)·(1+α)·p(i) − e²(i−1)·(1+β)·p(i−1)       |α| ≤ 3u, |β| ≤ 2u, u = ulp/2,
//
// without any other error. So the computed minors are the exact minors of another tridiagonal
// matrix. To first order, its diagonal differs from that of T by 3u·|d−x| and its off-diagonal by
// u·|e|. Its eigenvalues differ from those of T by at most the largest sum over a column, where e
// and e' are the two off-diagonal elements of the column:
//
//     3u·(|d| + |x|) + u·(|e| + |e'|)  ≤  6u·norm  =  3·ulp·norm,
//
// because |x| and |d| + |e| + |e'| are at most norm. (For the counts of stebz |α| ≤ 2u, and the
// bound is 2·ulp·norm.) Two more errors move the eigenvalues. An e² below 2^LEAST is replaced by
// 2^LEAST, which moves eigenvalues by at most 2·2^-60. Underflow is the second error; the next
// paragraph bounds it.
//
// Range. |d|, |e| < 1 and |x| ≤ norm < 3.01. Let M = max(|p(i)|, |p(i−1)|). In one row M grows to
// at most 6·M. M shrinks to no less than e²·M/8: either |p(i)| is at least e²·M/8, or |p(i+1)| ≥
// e²·M − 5·e²·M/8. So in EIGHT rows M changes by a factor between 2^-984 and 2^21. M begins at
// 2^900. Every eight rows, the minors are multiplied by a power of two that makes M about 2^900
// again. So nothing overflows, and M never falls below 2^-84. Underflow below 2^-1022 changes e² by
// less than 2^-900.
//
// Zeros. If p(i) = 0, then p(i−1) is not zero, and p(i+1) has the opposite sign of p(i−1). So there
// is one change of sign, whichever sign the zero has. If the last minor is zero, x is an eigenvalue
// of the matrix with these minors, and the count may include it or not.
//
// stebz relies on nothing but the error bounds above. So the counts need not be monotone, and need
// not be the same on two devices. No two buffers may overlap. The rows must be finite, as
// stebz_prepare demands.
//
// Grid: in x and y, one team per eigenvalue (TEAMS teams per workgroup), or one invocation per
// point.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "sturm.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, at least 2^LEVELS − 1.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the number of rows of T in shared memory at a time, a multiple of EIGHT, the number of
// rows between two scalings of the minors.
layout(constant_id = 1) const uint TILE = 64;
// FUSED tells whether to use fma(). It should be true if fma() is as fast as a multiplication.
layout(constant_id = 2) const bool FUSED = true;
#ifndef GRID
// LEVELS is the number of halvings of an interval that a team of invocations does with one round,
// at least 1. In a round, each invocation of the team makes one Sturm count.
layout(constant_id = 3) const uint LEVELS = 1;
#endif
#include "sturm_rows.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer CountsOut { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer CountsIn { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Rows rows;
	Starts start;
#ifdef GRID
	CountsOut counts;
	uint first;
#else
	CountsIn grid;
	MatrixInOut lo, hi;
	// `first` is the first eigenvalue, counted from 0, and `count` is their number. `rounds` is the
	// largest number of rounds of this dispatch, at least 1. A round does LEVELS halvings. If
	// `fresh` is not 0, lo and hi are not read: every bracket begins as the interval between two
	// points of the grid.
	uint first, rounds, fresh, count;
#endif
	// n is the order of T, at least 1. `points` is the number of points of the grid, at least 1.
	uint n, points;
} p;

const int LEAST = -120; // exponent of the smallest e²
const int LEVEL = 900; // exponent of M after scaling
const uint EIGHT = 8; // rows between two scalings
const uint BIAS = 1023; // exponent bias of a double

uint high(work_t x) { return unpackDouble2x32(x).y; }

// row computes the next principal minor p(i+1) of T − `shift`·I from `before` = p(i−1) and `now` =
// p(i), and counts a change of sign.
void row(uint i, work_t shift, inout work_t before, inout work_t now, inout uint changes) {
	work_t e2p = tile[i].e2 * before, d = tile[i].d - shift;
	work_t next = FUSED ? fma(d, now, -e2p) : d * now - e2p;
	changes += (high(next) ^ high(now)) >> 31;
	before = now;
	now = next;
}

// below returns the number of eigenvalues of the scaled T below `shift`. Those within 3·ulp·norm of
// `shift` may be counted or not. All invocations of the workgroup must call it, in uniform control
// flow.
uint below(work_t shift, inout uint resident) {
	uint changes = 0;
	work_t before = 0, now = power_of_two(LEVEL);
	for (uint from = 0; from < p.n; from += TILE) {
		uint len = min(TILE, p.n - from);
		fetch(p.rows, from, len, power_of_two(LEAST), resident);
		uint i = 0;
		for (; i + EIGHT <= len; i += EIGHT) {
			[[unroll]] for (uint j = 0; j < EIGHT; j++) row(i + j, shift, before, now, changes);
			uint exponent = max(high(before) & 0x7fffffffu, high(now) & 0x7fffffffu) >> 20;
			work_t back = packDouble2x32(uvec2(0u, (BIAS + LEVEL + BIAS - exponent) << 20));
			before *= back;
			now *= back;
		}
		for (; i < len; i++) row(i, shift, before, now, changes);
	}
	return changes;
}

// at returns point g of the grid, 1 to p.points. at(0) and at(p.points + 1) are the ends of the
// interval of `start`.
work_t at(uint g, Start s) {
	if (g > p.points) return s.hi;
	return s.lo + (s.hi - s.lo) * (work_t(g) / work_t(p.points + 1));
}

#ifdef GRID
void main() {
	uint g = p.first + workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	uint resident = NOTHING;
	uint found = below(at(min(g, p.points - 1) + 1, p.start.at[0]), resident);
	if (g < p.points) p.counts.at[g] = found;
}
#else
work_t middle(work_t lo, work_t hi) { return work_t(0.5) * (lo + hi); }

#include "sturm_tree.glsl"

void main() {
	uint t = gl_LocalInvocationIndex, team = t / TEAM, node = t % TEAM + 1;
	uint i = workgroup() * TEAMS + team, wanted = p.first + i;
	bool ours = team < TEAMS && i < p.count;
	Start s = p.start.at[0];
	work_t lo = s.lo, hi = s.hi, enough = 2 * unit(s);
	if (ours && p.fresh == 0) {
		lo = p.lo.at[i];
		hi = p.hi.at[i];
	} else if (ours) {
		// The search ends between two neighbouring points of the grid: the count at the first one
		// is too small for the wanted eigenvalue, and the count at the second one is large enough.
		// This holds even if the counts do not ascend.
		uint from = 0, to = p.points + 1;
		while (to - from > 1) {
			uint g = (from + to) / 2;
			if (p.grid.at[g - 1] > wanted) to = g;
			else from = g;
		}
		lo = at(from, s);
		hi = at(to, s);
	}
	uint resident = NOTHING;
	for (uint round = 0; round < p.rounds && any_(ours && hi - lo > enough); round++) {
		counted[t] = below(point(node, lo, hi), resident);
		barrier();
		for (uint k = 1, level = 0; level < LEVELS && ours && hi - lo > enough; level++) {
			bool down = counted[team * TEAM + k - 1] > wanted;
			if (down) hi = middle(lo, hi);
			else lo = middle(lo, hi);
			k = 2 * k + (down ? 0 : 1);
		}
	}
	if (!ours || node != 1) return;
	p.lo.at[i] = lo;
	p.hi.at[i] = hi;
}
#endif
