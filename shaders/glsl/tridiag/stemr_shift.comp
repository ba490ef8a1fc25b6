// float64 only
//
// stemr_shift makes representations of clusters, L⁺·D⁺·L⁺ᵀ = L·D·Lᵀ − τ·I, by the differential
// stationary transform (LAPACK dlarrf). L·D·Lᵀ is called the parent and L⁺·D⁺·L⁺ᵀ the child.
//
// variant: stemr_shift
// variant: stemr_child CHILD
//
// in:  tasks   task c names the parent of cluster c, for c = 0 … clusters − 1 (representation.glsl)
//      reps    the parents
//      shifts  shifts[8·c + j] are the candidates for τ, in pairs: one left and one right of the
//              cluster. Each pair is further away from the cluster than the previous pair
//
// stemr_shift: computes the growth of each candidate. d⁺ is an element of the diagonal D⁺.
//
// out: growth  growth[8·c + j] is the largest |d⁺|, or ∞ if the transform breaks down
//
// stemr_child: chooses a candidate, and makes its representation in slot child[c]. It takes the
// first pair in which a candidate has growth ≤ GROWTH, and chooses the better candidate of this
// pair. If no such pair exists, it chooses the best of all candidates.
//
// in:  growth, child
// out: chosen, best   the chosen candidate of each cluster, and its growth
//      children       the children
//
// A representation has two columns, d and l. The columns of a child may overlap those of its
// parent. The other children of this parent must be made before, because they read the parent. So
// there are two dispatches of stemr_child. The first, with over = 0, makes the children that do not
// overlap their parents. The second, with over = 1, makes the others. `children` is the same buffer
// as reps, unless the parents are root representations. No other buffers may overlap. A NaN counts
// as a breakdown of the transform.
//
// Grid: one invocation per candidate, or one per cluster; in x and y.
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
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Tasks tasks;
	MatrixInOut reps; // representations of the parents
	MatrixIn shifts;
#ifdef CHILD
	MatrixIn growth;
	MatrixOut best;
	WordsInOut chosen;
	Words child;
	MatrixInOut children; // representations of the children: the same memory as reps, unless the parents are roots
	// `over` selects the children that this dispatch makes: 0 for those that do not overlap their
	// parents in memory, and 1 for those that do. ldchild is the leading dimension of `children`,
	// at least 2.
	uint over, ldchild;
#else
	MatrixOut growth;
#endif
	// ld is the leading dimension of reps, at least 2.
	uint ld, clusters;
} p;

// SHIFTS is the number of candidates for the shift of a cluster.
#pragma host SHIFTS
const uint SHIFTS = 8;
// A candidate is good if its growth is at most GROWTH.
const work_t GROWTH = 8;

// The transform breaks down at a pivot d⁺ with |d⁺| < least_pivot() or |d⁺| > huge() = 2^200.
work_t least_pivot() { return power_of_two(SCALE_LEAST); }

work_t huge() { return power_of_two(200); }

#ifdef CHILD
// choose returns the chosen candidate of cluster c: the candidate with the smallest growth in the
// first pairs, up to the first pair in which a growth is at most GROWTH.
uint choose(uint c) {
	uint best = 0;
	for (uint j = 0; j < SHIFTS; j += 2) {
		for (uint k = j; k < j + 2; k++) {
			if (p.growth.at[SHIFTS * c + k] < p.growth.at[SHIFTS * c + best]) best = k;
		}
		if (p.growth.at[SHIFTS * c + best] <= GROWTH) break;
	}
	return best;
}
#endif

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
#ifdef CHILD
	if (i >= p.clusters) return;
	Task t = p.tasks.at[i];
	uint to = p.child.at[i];
	if ((t.slot != ROOT && to < t.slot + 2) != (p.over != 0)) return;
	uint best = choose(i);
	p.chosen.at[i] = best;
	p.best.at[i] = p.growth.at[SHIFTS * i + best];
	work_t tau = p.shifts.at[SHIFTS * i + best];
	Representation out_ = representation(uint64_t(p.children), t, to, p.ldchild);
#else
	if (i >= SHIFTS * p.clusters) return;
	Task t = p.tasks.at[i / SHIFTS];
	work_t tau = p.shifts.at[i];
#endif
	Representation r = representation(uint64_t(p.reps), t, t.slot, p.ld);
	work_t s = -tau, largest = 0;
	bool broken = false;
	Pair next[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, u);
	for (uint k = 0; k < r.n && !broken; k += AHEAD) {
		Pair now[AHEAD] = next;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, k + AHEAD + u);
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (k + u < r.n && !broken) {
				work_t d = now[u].d, l = now[u].l;
				work_t dp = d + s;
				if (!(abs(dp) >= least_pivot()) || abs(dp) > huge()) {
					broken = true;
				} else {
					largest = max(largest, abs(dp));
					work_t lp = (l * d) / dp;
#ifdef CHILD
					Pairs(out_.base + out_.stride * (k + u)).at[0] = Pair(dp, lp);
#endif
					s = (lp * l) * s - tau;
				}
			}
		}
	}
#ifndef CHILD
	p.growth.at[i] = broken ? infinity() : largest;
#endif
}
