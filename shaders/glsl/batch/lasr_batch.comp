// lasr_batch applies plane rotations to the columns of many matrices, Z ← Z·G (LAPACK dlasr). The
// rotations are those of steqr_batch. One workgroup processes LOCAL_SIZE·TOGETHER rows of a matrix.
//
// variant: lasr_batch
// variant: lasr_batch_pairs PAIRS
//
// For lasr_batch_pairs, Z is a complex matrix. The rotations are real, so Z is the real matrix of
// 2·n rows that has the real and imaginary parts of each element one after another.
//
// in:      matrices   the matrices [first, first + count)
//          rotations  from element ⌊matrix.a/2^shift⌋ on: cosine and sine of each rotation. For
//                     complex matrices, matrix.a counts pairs
//          sweeps     from element matrix.at on: the sweeps, see rotations.glsl
// in, out: z          n×n, at the same place as the matrix, in elements of Z
//
// WAVE consecutive sweeps with the same direction are applied in one pass over the columns: when
// the first sweep has reached a column, the second one is one column behind, and so on. So each
// element is loaded once and stored once for WAVE sweeps. Where a sweep has no rotation, the
// identity takes its place; it changes at most the sign of a zero.
//
// Grid: in x and y, `parts` workgroups for each matrix.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "problem.glsl"
#include "rotations.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TOGETHER is the number of rows of Z that an invocation has.
layout(constant_id = 1) const uint TOGETHER = 1;
layout(constant_id = 2) const uint WAVE = 8;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	MatrixIn rotations;
	SweepsIn sweeps;
	MatrixInOut z;
	// first, count  the dispatch processes the matrices [first, first + count)
	// parts         number of workgroups for a matrix; parts·LOCAL_SIZE·TOGETHER is at least the
	//               largest number of rows
	uint first, count, parts, shift;
} p;

// STEPS is the number of steps for which the workgroup loads rotations at a time. AHEAD is the
// number of columns that an invocation loads before it uses the first of them.
const uint STEPS = 16, AHEAD = 4;

// `turns` has cosine and sine of the rotation of sweep q at step j, at 2·(j·WAVE + q). `from` is the
// position at which sweep q begins, `length` its number of rotations, and `place` the number of its
// first rotation.
shared real_t turns[2 * STEPS * WAVE];
shared uint from[WAVE], length_[WAVE], place[WAVE];

void main() {
	uint index = workgroup() / p.parts, t = gl_LocalInvocationIndex;
	if (index >= p.count) return;
	BatchMatrix m = p.matrices.at[p.first + index];
	uint n = m.n, row = workgroup() % p.parts * LOCAL_SIZE * TOGETHER;
	if (row >= rows_of(n)) return;
	row += t;
	MatrixIn rotations = MatrixIn(element(uint64_t(p.rotations), rows_of(long_(m.a)) >> p.shift, 0, 0));
	MatrixInOut z = MatrixInOut(element(uint64_t(p.z), rows_of(long_(m.a)), 0, 0));
	uint number = 0, stored = 0;
	while (true) {
		uint words[WAVE], begin = ~0u, end = 0;
		[[unroll]] for (uint q = 0; q < WAVE; q++) words[q] = number + q < n ? p.sweeps.at[m.at + number + q] : 0;
		if (words[0] == 0) break;
		// Positions count columns in the direction of the sweeps.
		bool up = words[0] >> 30 != 0, open = true;
		[[unroll]] for (uint q = 0; q < WAVE; q++) {
			open = open && words[q] != 0 && words[q] >> 30 != 0 == up;
			uint first = words[q] & 0x7fffu, count = open ? words[q] >> 15 & 0x7fffu : 0;
			uint position = up ? first : n - 1 - first;
			if (open) begin = min(begin, position), end = max(end, position + count), number++;
			if (t == 0) from[q] = position, length_[q] = count, place[q] = stored;
			stored += count;
		}
		uint rotated = end - begin, by = up ? rows_of(n) : -rows_of(n), at = (up ? begin : n - 1 - begin) * rows_of(n) + row;
		// At step k, sweep q rotates the columns at the positions begin + k − q and begin + k − q +
		// 1. y has its first column, after the previous rotation.
		real_t y[WAVE * TOGETHER];
		[[unroll]] for (uint q = 0; q < WAVE * TOGETHER; q++) y[q] = 0.0;
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			if (row + i * LOCAL_SIZE < rows_of(n)) y[i] = z.at[at + i * LOCAL_SIZE];
		}
		for (uint k = 0; k < rotated + WAVE; k += STEPS) {
			barrier();
			for (uint x = t; x < STEPS * WAVE; x += LOCAL_SIZE) {
				uint q = x % WAVE, r = begin + k + x / WAVE - q - from[q];
				real_t c = 1.0, s = 0.0;
				if (r < length_[q]) c = rotations.at[2 * (place[q] + r)], s = rotations.at[2 * (place[q] + r) + 1];
				turns[2 * x] = c, turns[2 * x + 1] = s;
			}
			barrier();
			for (uint j = 0; j < STEPS && k + j < rotated + WAVE; j += AHEAD) {
				real_t x[AHEAD * TOGETHER];
				[[unroll]] for (uint a = 0; a < AHEAD; a++) {
					[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
						x[a * TOGETHER + i] = 0.0;
						bool live = k + j + a < rotated && row + i * LOCAL_SIZE < rows_of(n);
						if (live) x[a * TOGETHER + i] = z.at[at + (k + j + a + 1) * by + i * LOCAL_SIZE];
					}
				}
				[[unroll]] for (uint a = 0; a < AHEAD; a++) {
					[[unroll]] for (uint q = 0; q < WAVE; q++) {
						real_t c = turns[2 * ((j + a) * WAVE + q)], s = turns[2 * ((j + a) * WAVE + q) + 1];
						[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
							real_t now = x[a * TOGETHER + i], old = y[q * TOGETHER + i];
							x[a * TOGETHER + i] = fma(c, old, s * now);
							y[q * TOGETHER + i] = fma(c, now, -(s * old));
						}
					}
					uint done = k + j + a - (WAVE - 1); // the position that now has all sweeps, from begin on
					[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
						if (done <= rotated && row + i * LOCAL_SIZE < rows_of(n)) z.at[at + done * by + i * LOCAL_SIZE] = x[a * TOGETHER + i];
					}
				}
			}
		}
	}
}
