// float64 only
//
// stemr_bisect finds eigenvalues of representations by bisection (LAPACK dlarrb, dlaneg).
//
// variant: stemr_bisect
// variant: stemr_bracket BRACKET
// variant: stemr_count COUNT
//
// in:      tasks, reps      reps with leading dimension ld
//
// stemr_count: counts[i] is the number of eigenvalues below x[i] of the representation of task i,
// for i < count.
//
// stemr_bisect: a team of 2^levels − 1 invocations solves task i. It counts at the same time at
// every point that the next `levels` halvings can come to. A dispatch does at most rounds·levels
// halvings.
//
// in, out: lo, hi           an interval with the eigenvalue inside. In the end its length is rtol
//                           (for sharp tasks 4 ulp) relative to its ends
//
// stemr_bracket: the same, but the interval on entry belongs to the parent: the representation from
// which a shift has made that of the task. The shift is shifts[8·c + chosen[c]] for the cluster c =
// of[i]. The interval need not contain the eigenvalue: it grows until it does. fresh is not 0 in
// the first dispatch only.
//
// in, out: step, phase      state between dispatches
//
// The results have the bits of package mrrr in stages/tridiag if division and square root are exact
// to the last bit. No two buffers may overlap. A pivot of zero makes the next one infinite, and
// then a NaN, which is replaced as in dlaneg. The inputs must be finite.
//
// Grid: one team per task (⌊LOCAL_SIZE/(2^levels − 1)⌋ teams per workgroup), or one invocation per
// count; in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics_f64.glsl"
#include "representation.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, at least 2^levels − 1.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Tasks tasks;
	MatrixIn reps;
#ifdef COUNT
	MatrixIn x;
	WordsInOut counts;
#else
	MatrixInOut lo, hi;
#endif
#ifdef BRACKET
	// of has the cluster of each task, and chosen the candidate that was chosen for each cluster.
	Words of, chosen;
	// shifts has eight candidates for each cluster.
	MatrixIn shifts;
	MatrixInOut step;
	WordsInOut phase;
	uint fresh;
#endif
#ifndef COUNT
	// rounds is the number of rounds that the dispatch may do, at least 1. levels is the number of
	// halvings that a team does at once, at least 1.
	uint rounds, levels;
	// rtol is the relative length of the intervals at the end, at least 4 ulp.
	real_t rtol;
#endif
	// ld is the leading dimension of reps, at least 2, and count the number of tasks.
	uint ld, count;
} p;

#ifdef COUNT
void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.count) return;
	Task t = p.tasks.at[i];
	p.counts.at[i] = count(representation(uint64_t(p.reps), t, t.slot, p.ld), p.x.at[i]);
}
#else
// busy tells whether a team still needs counts.
shared uint busy;
// counted has the counts, by team and node of its tree. The root is node 1, and the nodes below
// node k are 2k and 2k+1.
shared uint counted[LOCAL_SIZE];

// These are the phases. First the lower end is proved to be below the eigenvalue, then the upper
// end to be above it, then the interval is halved.
const uint LOWER = 0, UPPER = 1, HALVE = 2;

// EXPANSION is the factor by which the step grows when an end has to move.
const work_t EXPANSION = 4;

// larger returns the larger magnitude of the two ends of an interval.
work_t larger(work_t lo, work_t hi) { return max(abs(lo), abs(hi)); }

// stride returns the length of the first step of an end that has to move.
work_t stride(work_t lo, work_t hi) { return max(max(hi - lo, 4 * ulp() * larger(lo, hi)), tiny()); }

// open_ tells whether the interval is still too long, so that bisection must go on.
bool open_(work_t lo, work_t hi, work_t rtol) { return hi - lo > rtol * larger(lo, hi) + tiny(); }

// middle returns the point at which the interval is halved: zero if the signs of its ends differ;
// near zero if one end is zero; the geometric mean if the ends differ by more than a factor of
// four; otherwise the arithmetic mean.
work_t middle(work_t lo, work_t hi) {
	if (lo < 0 && hi > 0) return 0;
	if (lo == 0) return hi * power_of_two(-20);
	if (hi == 0) return lo * power_of_two(-20);
	if (lo > 0 && hi > 4 * lo) return sqrt(lo) * sqrt(hi);
	if (hi < 0 && lo < 4 * hi) return -sqrt(-lo) * sqrt(-hi);
	return work_t(0.5) * (lo + hi);
}

// point returns the number at which node k of the tree over [lo, hi] counts.
work_t point(uint k, work_t lo, work_t hi) {
	for (int level = findMSB(k) - 1; level >= 0; level--) {
		if ((k >> level & 1) == 0) hi = middle(lo, hi);
		else lo = middle(lo, hi);
	}
	return middle(lo, hi);
}

void main() {
	uint size = (1u << p.levels) - 1, teams = LOCAL_SIZE / size;
	uint t = gl_LocalInvocationIndex, team = t / size, node = t % size + 1;
	uint i = workgroup() * teams + team;
	bool ours = team < teams && i < p.count;
	Task task = p.tasks.at[ours ? i : 0];
	Representation r = representation(uint64_t(p.reps), task, task.slot, p.ld);
	work_t rtol = task.sharp != 0 ? 4 * ulp() : p.rtol;
	work_t lo = 0, hi = 0, step = 0;
	uint phase = HALVE;
	if (ours) {
		lo = p.lo.at[i];
		hi = p.hi.at[i];
#ifdef BRACKET
		if (p.fresh != 0) {
			uint c = p.of.at[i];
			work_t tau = p.shifts.at[8 * c + p.chosen.at[c]];
			work_t margin = 4 * ulp() * max(larger(lo, hi), abs(tau));
			lo = (lo - tau) - margin;
			hi = (hi - tau) + margin;
			phase = LOWER;
			step = stride(lo, hi);
		} else {
			phase = p.phase.at[i];
			step = p.step.at[i];
		}
#endif
	}
	for (uint round = 0; round < p.rounds; round++) {
		bool open = ours && (phase != HALVE || open_(lo, hi, rtol));
		barrier(); // all have read busy and counted
		if (t == 0) busy = 0;
		barrier();
		if (open) atomicOr(busy, 1);
		barrier();
		if (busy == 0) break;
		if (open) {
			work_t x = phase == LOWER ? lo : phase == UPPER ? hi : point(node, lo, hi);
			counted[t] = count(r, x);
		}
		barrier();
		// A `continue` must not be used here. After it, an invocation need not be together with the
		// others at the barriers of the next round.
		if (open && phase == LOWER) {
			if (counted[t] <= task.index) {
				phase = UPPER;
				step = stride(lo, hi);
			} else {
				hi = lo;
				lo -= step;
				step *= EXPANSION;
			}
		} else if (open && phase == UPPER) {
			if (counted[t] > task.index) {
				phase = HALVE;
			} else {
				lo = hi;
				hi += step;
				step *= EXPANSION;
			}
		} else if (open) {
			for (uint k = 1, level = 0; level < p.levels && open_(lo, hi, rtol); level++) {
				bool down = counted[team * size + k - 1] > task.index;
				if (down) hi = middle(lo, hi);
				else lo = middle(lo, hi);
				k = 2 * k + (down ? 0 : 1);
			}
		}
	}
	if (!ours || node != 1) return;
	p.lo.at[i] = lo;
	p.hi.at[i] = hi;
#ifdef BRACKET
	p.step.at[i] = step;
	p.phase.at[i] = phase;
#endif
}
#endif
