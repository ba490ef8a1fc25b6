// float64 only
//
// steqr_batch diagonalises many tridiagonal matrices T = V·diag(λ)·Vᵀ by implicit QL iteration, and
// multiplies given matrices Z by V (LAPACK dsteqr). One workgroup processes one matrix. A dispatch
// ends for a matrix when its sweeps have had `rotations` rotations or more. The next dispatch
// continues.
//
// in:      matrices  the matrices [first, first + count), of order 3 … ORDER
// in, out: d, e      from element matrix.at on: T before, λ in d after, in no order
//          z         n×n, at the same place as the matrix: Z before, Z·V after
//          states    status becomes DONE when the iteration has ended, or FAILED. The other members
//                    say where the iteration is
//
// Invocation LOCAL_SIZE − APART, the generator, computes the rotations of two sweeps. At the same
// time the invocations before it apply the rotations of the previous two sweeps. Each of these
// invocations has one or several rows of Z. Two sweeps are applied in one pass if they begin at the
// same end of a block. Two such sweeps are called a pair.
//
// The bits do not depend on where a dispatch ends, because d and e are stored and loaded unchanged.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "tridiag/ulp.glsl"
#include "problem.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 288;
// ORDER is the largest order of a matrix.
layout(constant_id = 1) const uint ORDER = 256;
// APART is the number of invocations that apply no rotations, usually one subgroup, at least 1. The
// first one of these invocations, the generator, computes the rotations of the QL iteration, and
// the other ones do nothing.
layout(constant_id = 2) const uint APART = 32;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixInOut d, e, z;
	// first, count  the dispatch processes the matrices [first, first + count)
	// rotations     number of rotations after which the dispatch ends for a matrix
	uint first, count, rotations;
} p;

// t_d and t_e are the diagonal and the off-diagonal of T. t_cos and t_sin are the cosines and sines
// of the rotations of the last four sweeps, which are applied in pairs.
shared double t_d[ORDER], t_e[ORDER], t_cos[4 * ORDER], t_sin[4 * ORDER];
#include "ql.glsl"
// `pairs` has the last two pairs of sweeps of QL iteration. The second sweep of a pair is applied
// in the same pass as the first sweep. The second sweep begins at the same element, and is not
// longer than the first sweep.
shared Sweep pairs[4];
// Sweeps of QL iteration are applied in pairs, and the last two pairs are stored as pair 0 and pair
// 1. `over[i]` tells whether pair i is the last pair of this dispatch.
shared bool over[2];

const uint APPLY = LOCAL_SIZE - APART;
// AHEAD is the number of elements of a row of Z that an invocation loads before it uses the first
// of them.
const uint AHEAD = 4;

// Two sweeps of rotations are applied to a row in one pass. `rotate` applies rotation k of the
// first sweep and rotation k − 1 of the second sweep to the row. x is element k + 1 of the row. y
// is element k after the rotations of the first sweep so far. `behind` is element k − 1 after the
// rotations of the second sweep so far. rotate returns the final element k − 1.
double rotate(uint k, uint count, uint from, double x, inout double y, inout double behind) {
	double c = t_cos[from + k], s = t_sin[from + k];
	double ahead = fma(c, y, s * x);
	y = fma(c, x, -(s * y));
	double c2 = 1.0lf, s2 = 0.0lf;
	if (k <= count) c2 = t_cos[from + ORDER + k - 1], s2 = t_sin[from + ORDER + k - 1];
	double done = fma(c2, behind, s2 * ahead);
	behind = fma(c2, ahead, -(s2 * behind));
	return done;
}

// turn applies the rotations of two sweeps of QL iteration, s and `after`, to row r of Z in one
// pass. `from` is the index of the pair's first rotation. AHEAD elements of the row are loaded
// ahead of their use.
void turn(MatrixInOut z, uint n, uint r, Sweep s, Sweep after, uint from) {
	uint at = s.first * n + r, by = s.step * n;
	double y = z.at[at], x = z.at[at + by], c = t_cos[from], sn = t_sin[from];
	double behind = fma(c, y, sn * x);
	y = fma(c, x, -(sn * y));
	double next[AHEAD];
	[[unroll]] for (uint q = 0; q < AHEAD; q++) next[q] = 1 + q < s.count ? z.at[at + (2 + q) * by] : 0.0lf;
	uint k = 1;
	for (; k + AHEAD <= s.count; k += AHEAD) {
		double now[AHEAD];
		[[unroll]] for (uint q = 0; q < AHEAD; q++) now[q] = next[q];
		[[unroll]] for (uint q = 0; q < AHEAD; q++) {
			if (k + AHEAD + q < s.count) next[q] = z.at[at + (2 + AHEAD + q) * by];
		}
		[[unroll]] for (uint q = 0; q < AHEAD; q++, at += by) z.at[at] = rotate(k + q, after.count, from, now[q], y, behind);
	}
	[[unroll]] for (uint q = 0; q < AHEAD - 1; q++) {
		if (k + q >= s.count) continue;
		z.at[at] = rotate(k + q, after.count, from, next[q], y, behind);
		at += by;
	}
	// Apply the last rotation of the second one of the two sweeps that are applied together.
	double c2 = 1.0lf, s2 = 0.0lf;
	if (s.count <= after.count) c2 = t_cos[from + ORDER + s.count - 1], s2 = t_sin[from + ORDER + s.count - 1];
	z.at[at] = fma(c2, behind, s2 * y);
	z.at[at + by] = fma(c2, y, -(s2 * behind));
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup(), t = gl_LocalInvocationIndex;
	BatchMatrix m = p.matrices.at[index];
	BatchState state = p.states.at[index];
	if (state.status != GOOD) return;
	uint n = m.n;
	MatrixInOut z = MatrixInOut(element(uint64_t(p.z), long_(m.a), 0, 0));
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		t_d[i] = p.d.at[m.at + i];
		t_e[i] = i + 1 < n ? p.e.at[m.at + i] : 0.0lf;
	}
	bool generates = t == APPLY;
	lo = state.lo, hi = state.hi, futile = state.futile, turned = (state.turned & 1) != 0;
	uint sweeps = state.sweeps, rotations = 0, status = GOOD;
	// If `found` is true, the block of T for the next sweep is known already. This sweep and the
	// previous one cannot be applied as a pair.
	bool found = (state.turned & 2) != 0, going = true;
	barrier();
	for (uint number = 0;; number++) {
		uint now = number % 2, from = 2 * now * ORDER;
		if (generates) {
			Sweep s = Sweep(0, 0, 0), after = s;
			if (going) {
				if (rotations >= p.rotations) going = false;
				else if (!found && !next_block(0, n)) going = false, status = DONE;
				else if (sweeps >= SWEEPS * n) going = false, status = FAILED;
				else {
					s = sweep(0, from);
					sweeps++, rotations += s.count;
					found = next_block(0, n);
					bool same = found && (turned ? lo : hi) == s.first && (turned ? 1u : ~0u) == s.step && hi - lo <= s.count;
					if (same) {
						after = sweep(0, from + ORDER);
						sweeps++, rotations += after.count;
						found = false;
					}
				}
			}
			pairs[2 * now] = s;
			pairs[2 * now + 1] = after;
			over[now] = !going;
		}
		if (number > 0 && t < APPLY) {
			Sweep s = pairs[2 - 2 * now], after = pairs[3 - 2 * now];
			for (uint r = t; r < n && s.count > 0; r += APPLY) turn(z, n, r, s, after, 2 * (1 - now) * ORDER);
		}
		barrier();
		if (over[now]) break;
	}
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		p.d.at[m.at + i] = t_d[i];
		if (i + 1 < n) p.e.at[m.at + i] = t_e[i];
	}
	if (generates) p.states.at[index] = BatchState(status, state.exponent, lo, hi, (turned ? 1 : 0) + (found ? 2 : 0), futile, sweeps);
}
