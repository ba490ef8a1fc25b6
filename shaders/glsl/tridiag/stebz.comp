// float64 only
//
// stebz finds eigenvalues of a symmetric tridiagonal matrix T by bisection on Sturm counts, or
// counts the eigenvalues below given shifts (LAPACK dstebz, dlaebz).
//
// variant: stebz_bisect
// variant: stebz_count COUNT
//
// in:      rows, start  the scaled T and its data, see stebz_prepare
//
// stebz_bisect: each team of invocations (sturm_tree.glsl) finds one eigenvalue. Team i finds
// eigenvalue number first + i, counted from 0, for i < count.
//
// in:      from, to     brackets of the eigenvalues, from stebz_narrow
// in, out: lo, hi       intervals with the eigenvalues of the scaled T; the first dispatch
//                       (fresh ≠ 0) begins with the interval of start instead
// out:     values       the eigenvalues of T itself, final once the intervals are short
//
// A dispatch does at most rounds·LEVELS halvings that need counts. The outcome of a halving is
// known without a count if the middle of the interval is far outside the bracket. Far means farther
// than the sum of the error bounds of the two kinds of counts, 3·ulp·norm for stebz_narrow and
// 2·ulp·norm for stebz. So the halvings, and the bits of the values, are the same as in a bisection
// without brackets.
//
// stebz_count: invocation i counts the eigenvalues below shifts[i], for i < count.
//
// in:      shifts       finite numbers
// out:     counts       for each shift, the number of eigenvalues below it
//
// Every invocation goes through all rows of T. The operations of a count and their order are a
// contract with package stages/ref: each operation is rounded once, and no operation is fused. So a
// count never decreases when the shift grows. The bits are the same on all devices whose division
// is exact to the last bit. No two buffers may overlap.
//
// Grid: in x and y, one team per eigenvalue (TEAMS teams per workgroup), or one invocation per
// shift.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "sturm.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, at least 2^LEVELS − 1.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the number of rows of T that are in shared memory at a time, at least 1.
layout(constant_id = 1) const uint TILE = 64;
#ifndef COUNT
// LEVELS is the number of halvings of an interval that a team of invocations does with one round,
// at least 1. In a round, each invocation of the team makes one Sturm count.
layout(constant_id = 2) const uint LEVELS = 1;
#endif
#include "sturm_rows.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Counts { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Rows rows;
	Starts start;
#ifdef COUNT
	MatrixIn shifts;
	Counts counts;
#else
	MatrixIn from, to;
	MatrixInOut lo, hi;
	MatrixOut values;
	// `first` is the first eigenvalue, counted from 0. `rounds` is the largest number of rounds of
	// this dispatch, at least 1. A round does LEVELS halvings by counts. If `fresh` is not 0, lo
	// and hi are not read: every interval begins as the interval of `start`, which contains all
	// eigenvalues.
	uint first, rounds, fresh;
#endif
	// n is the order of T, at least 1, and `count` the number of eigenvalues or shifts.
	uint n, count;
} p;

// below returns the number of eigenvalues of the scaled T below `shift`: the number of negative
// pivots of T − shift·I, for this scaled T. All invocations of the workgroup must call it, in
// uniform control flow.
uint below(work_t shift, inout uint resident) {
	uint found = 0;
	work_t q = 1; // any number but 0, because e² is 0 in the first row
	for (uint from = 0; from < p.n; from += TILE) {
		uint len = min(TILE, p.n - from);
		fetch(p.rows, from, len, work_t(0), resident);
		for (uint i = 0; i < len; i++) {
			q = (tile[i].d - shift) - tile[i].e2 / q;
			if (abs(q) <= pivmin()) q = -pivmin();
			if (q < 0) found++;
		}
	}
	return found;
}

#ifdef COUNT
void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	Start s = p.start.at[0];
	uint resident = NOTHING;
	work_t shift = i < p.count ? scaled(p.shifts.at[i], s.down) : work_t(0);
	uint found = below(shift, resident);
	if (i < p.count) p.counts.at[i] = found;
}
#else
// TINY is the exponent of the absolute term of the rule that ends a bisection.
const int TINY = -900;

// `small` is ulp·norm, for the norm of the scaled T. Eigenvalues of smaller magnitude are called
// tiny.
work_t small;

// middle returns the point that divides the interval [lo, hi]: usually its midpoint. Another point
// is chosen if the magnitudes of both ends are at most `small`. The point is 0 if the signs of the
// ends differ. If the exponents of the ends differ by more than about two, it is a power of two
// whose exponent is the mean of these exponents. So a bisection finds the exponent of a tiny
// eigenvalue in few halvings. Package stages/ref must do the same operations.
work_t middle(work_t lo, work_t hi) {
	work_t near = max(lo, -hi), far = max(hi, -lo); // distances from 0; near < 0 if 0 lies inside
	work_t midpoint = work_t(0.5) * (lo + hi);
	if (!(far <= small && abs(midpoint) <= far)) return midpoint; // true also if one of the numbers is NaN
	if (near < 0) return work_t(0);
	near = max(near, power_of_two(TINY));
	if (far <= 4 * near) return midpoint;
	work_t x = power_of_two((exponent_of(near) + exponent_of(far)) >> 1);
	return hi > 0 ? x : -x;
}

#include "sturm_tree.glsl"

bool open_(work_t lo, work_t hi) { return hi - lo > 2 * ulp() * max(abs(lo), abs(hi)) + power_of_two(TINY); }

void main() {
	uint t = gl_LocalInvocationIndex, team = t / TEAM, node = t % TEAM + 1;
	uint i = workgroup() * TEAMS + team;
	bool ours = team < TEAMS && i < p.count;
	Start s = p.start.at[0];
	work_t lo = s.lo, hi = s.hi, from = lo, to = hi;
	small = unit(s);
	if (ours) {
		if (p.fresh == 0) {
			lo = p.lo.at[i];
			hi = p.hi.at[i];
		}
		from = p.from.at[i] - 6 * unit(s);
		to = p.to.at[i] + 6 * unit(s);
	}
	uint resident = NOTHING;
	for (uint round = 0; round < p.rounds; round++) {
		while (ours && open_(lo, hi)) {
			work_t x = middle(lo, hi);
			if (x < from) lo = x;
			else if (x > to) hi = x;
			else break;
		}
		if (!any_(ours && open_(lo, hi))) break;
		counted[t] = below(point(node, lo, hi), resident);
		barrier();
		for (uint k = 1, level = 0; level < LEVELS && ours && open_(lo, hi); level++) {
			bool down = counted[team * TEAM + k - 1] > p.first + i;
			if (down) hi = middle(lo, hi);
			else lo = middle(lo, hi);
			k = 2 * k + (down ? 0 : 1);
		}
	}
	if (!ours || node != 1) return;
	p.lo.at[i] = lo;
	p.hi.at[i] = hi;
	p.values.at[i] = scaled(middle(lo, hi), s.up);
}
#endif
