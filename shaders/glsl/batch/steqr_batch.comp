// steqr_batch diagonalises many tridiagonal matrices T = V·diag(λ)·Vᵀ by implicit QL iteration, and
// multiplies given matrices Z by V (LAPACK dsteqr). One workgroup processes MATRICES matrices. A
// dispatch ends for a matrix when its sweeps have had `rotations` rotations or more. The next
// dispatch continues.
//
// in:      matrices  the matrices [first, first + count), of order 3 … ORDER
// in, out: d, e      from element matrix.at on: T before, λ in d after, in no order
//          z         n×n, at the same place as the matrix: Z before, Z·V after
//          states    status becomes DONE when the iteration has ended, or FAILED if it did not
//                    converge. The other members say where the iteration is
//
// Each matrix has a team of TEAM invocations and a generator, one further invocation. The generator
// computes the rotations of two sweeps. At the same time the team applies the rotations of the
// previous two sweeps. Each invocation of the team has one or several rows of Z. Two sweeps are
// applied in one pass if they begin at the same end of a block. Two such sweeps are called a pair.
//
// The bits do not depend on where a dispatch ends, because d and e are stored and loaded unchanged.
//
// Grid: in x and y, one workgroup for MATRICES matrices.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "tridiag/ulp.glsl"
#include "problem.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 288;
layout(constant_id = 1) const uint ORDER = 256;
// APART is the number of invocations that are in no team, usually one subgroup, at least MATRICES.
// Invocation g of them, g < MATRICES, is the generator of matrix g of the workgroup, and the other
// ones do nothing.
layout(constant_id = 2) const uint APART = 32;
// TOGETHER is the number of rows of Z that an invocation processes at the same time.
layout(constant_id = 3) const uint TOGETHER = 1;
layout(constant_id = 4) const uint MATRICES = 1;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixInOut d, e, z;
	// first, count  the dispatch processes the matrices [first, first + count)
	// rotations     number of rotations after which the dispatch ends for a matrix
	uint first, count, rotations;
} p;

// For each matrix, t_d and t_e have ORDER elements: the diagonal and the off-diagonal of T. t_cos
// and t_sin have 4·ORDER elements: the rotations of the last four sweeps, which are applied in
// pairs.
shared real_t t_d[MATRICES * ORDER], t_e[MATRICES * ORDER];
shared real_t t_cos[MATRICES * 4 * ORDER], t_sin[MATRICES * 4 * ORDER];
#include "ql.glsl"
// `pairs` has the last two pairs of sweeps of each matrix. The second sweep of a pair begins at the
// same element as the first, and is not longer.
shared Sweep pairs[MATRICES * 4];
// `over[2·g + i]` tells whether pair i is the last pair of matrix g in this dispatch.
shared bool over[MATRICES * 2];

const uint TEAM = (LOCAL_SIZE - APART) / MATRICES;
// AHEAD is for invocations that process one row of Z at a time. It is the number of elements of the
// row that an invocation loads before it uses the first of them.
const uint AHEAD = 4;

// rotate applies two rotations to a row: rotation k of the first sweep, with cosine c and sine s,
// and rotation k − 1 of the second sweep, with c2 and s2. x is element k + 1 of the row. y is
// element k after the rotations of the first sweep so far. `behind` is element k − 1 after the
// rotations of the second sweep so far. The result is the final element k − 1.
real_t rotate(real_t c, real_t s, real_t c2, real_t s2, real_t x, inout real_t y, inout real_t behind) {
	real_t ahead = fma(c, y, s * x);
	y = fma(c, x, -(s * y));
	real_t done = fma(c2, behind, s2 * ahead);
	behind = fma(c2, ahead, -(s2 * behind));
	return done;
}

// rotate_at is rotate for element k. The first rotation of the pair is at index `from`, and the
// second sweep has `count` rotations.
real_t rotate_at(uint k, uint count, uint from, real_t x, inout real_t y, inout real_t behind) {
	real_t c2 = 1.0, s2 = 0.0;
	if (k <= count) c2 = t_cos[from + ORDER + k - 1], s2 = t_sin[from + ORDER + k - 1];
	return rotate(t_cos[from + k], t_sin[from + k], c2, s2, x, y, behind);
}

// turn applies the two sweeps s and `after` to row r of Z in one pass. `from` is the index of their
// first rotation.
void turn(MatrixInOut z, uint n, uint r, Sweep s, Sweep after, uint from) {
	uint at = s.first * n + r, by = s.step * n;
	real_t y = z.at[at], x = z.at[at + by], c = t_cos[from], sn = t_sin[from];
	real_t behind = fma(c, y, sn * x);
	y = fma(c, x, -(sn * y));
	real_t next[AHEAD];
	[[unroll]] for (uint q = 0; q < AHEAD; q++) next[q] = 1 + q < s.count ? z.at[at + (2 + q) * by] : 0.0;
	uint k = 1;
	for (; k + AHEAD <= s.count; k += AHEAD) {
		real_t now[AHEAD];
		[[unroll]] for (uint q = 0; q < AHEAD; q++) now[q] = next[q];
		[[unroll]] for (uint q = 0; q < AHEAD; q++) {
			if (k + AHEAD + q < s.count) next[q] = z.at[at + (2 + AHEAD + q) * by];
		}
		[[unroll]] for (uint q = 0; q < AHEAD; q++, at += by) z.at[at] = rotate_at(k + q, after.count, from, now[q], y, behind);
	}
	[[unroll]] for (uint q = 0; q < AHEAD - 1; q++) {
		if (k + q >= s.count) continue;
		z.at[at] = rotate_at(k + q, after.count, from, next[q], y, behind);
		at += by;
	}
	// The last rotation of the second sweep.
	real_t c2 = 1.0, s2 = 0.0;
	if (s.count <= after.count) c2 = t_cos[from + ORDER + s.count - 1], s2 = t_sin[from + ORDER + s.count - 1];
	z.at[at] = fma(c2, behind, s2 * y);
	z.at[at + by] = fma(c2, y, -(s2 * behind));
}

// turn_rows is turn for the rows r, r + TEAM, …, at most TOGETHER rows, so that the rotations are
// loaded only once.
void turn_rows(MatrixInOut z, uint n, uint r, Sweep s, Sweep after, uint from) {
	uint at = s.first * n + r, by = s.step * n;
	bool live[TOGETHER]; // whether the row exists
	real_t y[TOGETHER], behind[TOGETHER], c = t_cos[from], sn = t_sin[from], c2, s2;
	[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
		live[i] = i == 0 || r + i * TEAM < n;
		real_t x = 0.0;
		y[i] = 0.0;
		if (live[i]) y[i] = z.at[at + i * TEAM], x = z.at[at + by + i * TEAM];
		behind[i] = fma(c, y[i], sn * x);
		y[i] = fma(c, x, -(sn * y[i]));
	}
	for (uint k = 1; k < s.count; k++, at += by) {
		c = t_cos[from + k], sn = t_sin[from + k], c2 = 1.0, s2 = 0.0;
		if (k <= after.count) c2 = t_cos[from + ORDER + k - 1], s2 = t_sin[from + ORDER + k - 1];
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			if (live[i]) z.at[at + i * TEAM] = rotate(c, sn, c2, s2, z.at[at + 2 * by + i * TEAM], y[i], behind[i]);
		}
	}
	// The last rotation of the second sweep.
	c2 = 1.0, s2 = 0.0;
	if (s.count <= after.count) c2 = t_cos[from + ORDER + s.count - 1], s2 = t_sin[from + ORDER + s.count - 1];
	[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
		if (live[i]) z.at[at + i * TEAM] = fma(c2, behind[i], s2 * y[i]);
		if (live[i]) z.at[at + by + i * TEAM] = fma(c2, y[i], -(s2 * behind[i]));
	}
}

void main() {
	uint begin = workgroup() * MATRICES, t = gl_LocalInvocationIndex;
	if (begin >= p.count) return;
	// `mine` is the number of this invocation's matrix in the workgroup, and `lane` the number of
	// the invocation in its team. Some invocations process no matrix, but they must reach every
	// barrier, too; `mine` may be too large there. If a workgroup has one matrix, `mine` must be a
	// constant: addresses that depend on it made the kernel 3 to 6 % slower on an H200.
	bool applies = t < MATRICES * TEAM;
	uint mine = MATRICES == 1 ? 0 : applies ? t / TEAM : t - MATRICES * TEAM, lane = t % TEAM;
	uint index = p.first + min(begin + mine, p.count - 1);
	BatchMatrix m = p.matrices.at[index];
	BatchState state = p.states.at[index];
	uint n = mine < MATRICES && begin + mine < p.count && state.status == GOOD ? m.n : 0;
	uint base = mine * ORDER; // of this matrix in t_d and t_e
	MatrixInOut z = MatrixInOut(element(uint64_t(p.z), long_(m.a), 0, 0));
	for (uint i = lane; applies && i < n; i += TEAM) {
		t_d[base + i] = p.d.at[m.at + i];
		t_e[base + i] = i + 1 < n ? p.e.at[m.at + i] : 0.0;
	}
	bool generates = !applies && t - MATRICES * TEAM < MATRICES;
	lo = state.lo, hi = state.hi, futile = state.futile, turned = (state.turned & 1) != 0;
	uint sweeps = state.sweeps, rotations = 0, status = GOOD;
	// If `found` is true, next_block has already found the block of the next sweep. This sweep
	// could not be applied in the same pass as the previous one.
	bool found = (state.turned & 2) != 0, going = n > 0;
	barrier();
	for (uint number = 0;; number++) {
		uint now = number % 2, pair = 4 * mine + 2 * now, from = pair * ORDER;
		if (generates) {
			Sweep s = Sweep(0, 0, 0), after = s;
			if (going) {
				if (rotations >= p.rotations) going = false;
				else if (!found && !next_block(base, n)) going = false, status = DONE;
				else if (sweeps >= SWEEPS * n) going = false, status = FAILED;
				else {
					s = sweep(base, from);
					sweeps++, rotations += s.count;
					found = next_block(base, n);
					bool same = found && (turned ? lo : hi) == s.first && (turned ? 1u : ~0u) == s.step && hi - lo <= s.count;
					if (same) {
						after = sweep(base, from + ORDER);
						sweeps++, rotations += after.count;
						found = false;
					}
				}
			}
			pairs[pair] = s;
			pairs[pair + 1] = after;
			over[2 * mine + now] = !going;
		}
		if (number > 0 && applies) {
			uint last = 4 * mine + 2 - 2 * now;
			Sweep s = pairs[last], after = pairs[last + 1];
			for (uint r = lane; r < n && s.count > 0; r += TOGETHER * TEAM) {
				if (TOGETHER > 1) turn_rows(z, n, r, s, after, last * ORDER);
				else turn(z, n, r, s, after, last * ORDER);
			}
		}
		barrier();
		bool all = true;
		for (uint g = 0; g < MATRICES; g++) all = all && over[2 * g + now];
		if (all) break;
	}
	for (uint i = lane; applies && i < n; i += TEAM) {
		p.d.at[m.at + i] = t_d[base + i];
		if (i + 1 < n) p.e.at[m.at + i] = t_e[base + i];
	}
	if (generates && n > 0) {
		p.states.at[index] = BatchState(status, state.exponent, lo, hi, (turned ? 1 : 0) + (found ? 2 : 0), futile, sweeps);
	}
}
