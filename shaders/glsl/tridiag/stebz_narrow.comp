// stebz_narrow brackets eigenvalues of a symmetric tridiagonal by Sturm counts that
// need no division, so that few of stebz's own counts, which do, are left.
//
// variant: stebz_narrow
// variant: stebz_grid GRID
//
// in:  rows, start  see stebz_prepare
//
// stebz_grid: counts[g], g < points, is the count at the g-th of so many points which divide
// [LO, HI] evenly.
//
// stebz_narrow: a team (sturm_tree.glsl) owns eigenvalue first + i, i < count, counted from 0.
// in:     grid    what stebz_grid counted; read by the first dispatch (FRESH ≠ 0) only
// in/out: lo, hi  a bracket: the count at lo is ≤ first + i, that at hi is above. It ends
//                 no longer than 2·unit().
// A dispatch does at most rounds times LEVELS halvings.
//
// The count is the number of changes of sign in the principal minors of T − x·I,
//
//     p(i+1) = (d(i) − x)·p(i) − e²(i−1)·p(i−1)        p(0) = 1, p(−1) = 0,
//
// which are as many as there are eigenvalues below x. As computed, with one rounding for d − x, one
// for e²·p and one (or two, where fma is not fused) for the difference,
//
//     p(i+1) = (d(i) − x)·(1+α)·p(i) − e²(i−1)·(1+β)·p(i−1)       |α| ≤ 3u, |β| ≤ 2u, u = ulp/2,
//
// and no other error: these are the minors of a tridiagonal whose diagonal differs by 3u·|d−x|
// and whose off-diagonal by u·|e|, to first order. Its eigenvalues differ from T's by
// at most the largest sum down a column,
//
//     3u·(|d| + |x|) + u·(|e| + |e'|)  ≤  6u·norm  =  3·ulp·norm,
//
// because |x| and |d| + |e| + |e'| are at most norm. (For stebz's counts α is 2u, and the bound 2·ulp·norm.) Two
// more things move T: e² below LEAST is taken for it, which is 2·2^-60 at most, and the ends of the range.
//
// Range: |d|, |e| < 1 and |x| ≤ norm < 3.01. Let M = max(|p(i)|, |p(i−1)|). In one row M grows to at most 6·M;
// and it shrinks to no less than e²·M/8: either |p(i)| is that large, or |p(i+1)| ≥ e²·M − 5·e²·M/8. So in
// EIGHT rows M changes by a factor between 2^-984 and 2^21. It begins at 2^900 and is brought back there, by
// a power of two, every eight rows: nothing overflows, M never falls below 2^-84, and what is
// lost below 2^-1022 moves e² by less than 2^-900.
//
// Zeros: if p(i) = 0, p(i−1) is not, and p(i+1) has the other sign: one change, whatever
// the zero's own sign is taken for. If the last one is zero, x is an eigenvalue of the
// matrix with these minors, and may count either way.
//
// Nothing here asks the counts to be monotone, or the same on two devices: stebz uses only what the
// bounds say. No aliasing.
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
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint TILE = 64;      // a multiple of EIGHT
layout(constant_id = 2) const bool FUSED = true;   // where fma takes no longer than a product
#ifndef GRID
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
#else
	CountsIn grid;
	MatrixInOut lo, hi;
	uint first, rounds, fresh, count;
#endif
	uint n, points;
} p;

const int LEAST = -120;    // exponent of the least e²
const int LEVEL = 900;     // exponent of M
const uint EIGHT = 8;      // rows between two looks at it
const uint BIAS = 1023;    // of a double's exponent

uint high(work_t x) { return unpackDouble2x32(x).y; }

// row continues p(i−1), p(i) by a row.
void row(uint i, work_t shift, inout work_t before, inout work_t now, inout uint changes) {
	work_t e2p = tile[i].e2 * before, d = tile[i].d - shift;
	work_t next = FUSED ? fma(d, now, -e2p) : d * now - e2p;
	changes += (high(next) ^ high(now)) >> 31;
	before = now;
	now = next;
}

// below counts the eigenvalues of 2^−x·T that are below shift, as said above. To be called by all.
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

// at is point g of the grid, or an end of the interval: of the points 1 … points.
work_t at(uint g, Start s) {
	if (g > p.points) return s.hi;
	return s.lo + (s.hi - s.lo) * (work_t(g) / work_t(p.points + 1));
}

#ifdef GRID
void main() {
	uint g = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	uint resident = NOTHING;
	uint found = below(at(min(g, p.points - 1) + 1, p.start.at[0]), resident);
	if (g < p.points) p.counts.at[g] = found;
}
#else
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
		// Whether the counts of the grid ascend or not, this ends between two neighbours of
		// which the first counts too few and the second enough.
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
