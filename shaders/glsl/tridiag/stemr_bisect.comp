// float64 only
//
// stemr_bisect finds eigenvalues of representations by bisection (LAPACK dlarrb, dlaneg).
//
// variant: stemr_bisect
// variant: stemr_bracket BRACKET
// variant: stemr_count COUNT
//
// in:      tasks, reps      representations with leading dimension ld
//
// stemr_count: counts[i] becomes the number of eigenvalues below x[i] of the representation of task
// i, for i < count.
//
// stemr_bisect: a team of 2^levels − 1 invocations finds the eigenvalue of task i. The invocations
// count at the same time, one at each point that the next `levels` halvings can need. A dispatch
// does at most rounds·levels halvings.
//
// in, out: lo, hi           an interval that contains the eigenvalue. At the end its length
//                           is at most rtol times the larger magnitude of its ends (4 ulp
//                           times this magnitude for tasks with sharp ≠ 0)
//
// stemr_bracket: the same as stemr_bisect, but the interval before the first dispatch is for the
// parent of the task's representation. A shift of the parent has made this representation. The
// shift is shifts[8·c + chosen[c]] for the cluster c = of[i]. The shifted interval need not contain
// the eigenvalue: the kernel first moves the ends of the interval until the interval contains the
// eigenvalue. In the first dispatch, fresh is not 0. In later dispatches, it is 0.
//
// in, out: step, phase      state between dispatches
//
// The results have the same bits as those of package mrrr in stages/tridiag if division and square
// root are exact to the last bit. No two buffers may overlap. A pivot of zero makes the next pivot
// infinite, and then a NaN, which is replaced as in dlaneg. The inputs must be finite.
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
	// `of` has the cluster of each task. `chosen` has, for each cluster, the number of the chosen
	// candidate for its shift.
	Words of, chosen;
	// `shifts` has eight candidates τ for each cluster's new representation L·D·Lᵀ − τ·I.
	MatrixIn shifts;
	MatrixInOut step;
	WordsInOut phase;
	uint fresh;
#endif
#ifndef COUNT
	// `rounds` is the largest number of rounds of this dispatch, at least 1. `levels` is the number
	// of halvings that a team does with one round of counts, at least 1.
	uint rounds, levels;
	// rtol is the relative length at which the bisection of an interval ends, at least 4 ulp.
	real_t rtol;
#endif
	// ld is the leading dimension of reps, at least 2. `count` is the number of tasks.
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
// `busy` tells whether any team of the workgroup still needs counts.
shared uint busy;
// `counted` has the number of eigenvalues that each invocation has counted below its point, ordered
// by team and by node of the team's binary tree of points. The root is node 1, and the children of
// node k are 2k and 2k+1.
shared uint counted[LOCAL_SIZE];

// These are the phases of an interval. LOWER moves the lower end until it is below the eigenvalue.
// UPPER moves the upper end until it is above the eigenvalue. HALVE halves the interval.
const uint LOWER = 0, UPPER = 1, HALVE = 2;

// EXPANSION is the factor by which the step grows after each move of an end.
const work_t EXPANSION = 4;

work_t larger(work_t lo, work_t hi) { return max(abs(lo), abs(hi)); }

// stride returns the length of the first step of LOWER and UPPER.
work_t stride(work_t lo, work_t hi) { return max(max(hi - lo, 4 * ulp() * larger(lo, hi)), tiny()); }

bool open_(work_t lo, work_t hi, work_t rtol) { return hi - lo > rtol * larger(lo, hi) + tiny(); }

// middle returns the point at which the interval is halved: zero, if the signs of the ends differ;
// the other end times 2^-20, if one end is zero; the geometric mean, if the ends differ by more
// than a factor of four; and otherwise the arithmetic mean.
work_t middle(work_t lo, work_t hi) {
	if (lo < 0 && hi > 0) return 0;
	if (lo == 0) return hi * power_of_two(-20);
	if (hi == 0) return lo * power_of_two(-20);
	if (lo > 0 && hi > 4 * lo) return sqrt(lo) * sqrt(hi);
	if (hi < 0 && lo < 4 * hi) return -sqrt(-lo) * sqrt(-hi);
	return work_t(0.5) * (lo + hi);
}

// point returns the point of node k of the team's tree for the interval [lo, hi].
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
		barrier(); // all invocations have read busy and counted
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
		// A `continue` must not be used in this loop. After a `continue`, an invocation might reach
		// the barriers of the next round at another time than the other invocations.
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
