// potrf_batch computes the Cholesky factors of many positive definite matrices, B·2^-e = L·Lᴴ (LAPACK
// dpotrf, zpotrf). The inverses of the diagonal blocks of L replace these blocks, so that later
// kernels multiply instead of substituting. One workgroup processes one matrix. A
// dispatch computes the block columns [from, to) of each matrix, of TILE columns each.
//
// complex
//
// in:      matrices  the matrices [first, first + count)
// in, out: b         before the first dispatch (from = 0) one triangle of each matrix. At the end, the
//                    blocks of L below those on the diagonal, and on the diagonal the inverses of L's
//                    blocks, with zeros above their diagonals. The blocks above are undefined
//          states    status, exponent e, which is even, and lo
//
// B·2^-e has entries below 4 in magnitude. The pivot of a column must be positive. Otherwise the
// status becomes INDEFINITE, the kernel continues with the pivot 1, and L has no meaning. A matrix
// with a NaN or an infinity becomes zero, and its status becomes NONFINITE.
//
// A block of L is the difference of the block of B and of products of blocks to the left, multiplied
// by the inverse of its column's block on the diagonal. The bits depend on n and TILE.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#pragma use_vulkan_memory_model
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "pivot.glsl"
#include "scaling.glsl"
#include "problem.glsl"
#include "meet.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, (TILE / EACH)².
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the order of a block.
layout(constant_id = 1) const uint TILE = 16;
// An invocation has EACH rows and EACH columns of a block. TILE is a multiple of EACH.
layout(constant_id = 2) const uint EACH = 2;
#include "reduce.glsl"
#include "blocks.glsl"

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	SharedReals b;
	uint first, count, from, to;
} p;

SharedReals a;
#ifdef COMPLEX
BatchMatrix m;
#endif
#define tile factors
#include "triangle.glsl"

// INDEFINITE is the status of a matrix that is not positive definite. The state's lo is the order of
// its first leading minor that is not.
#pragma host INDEFINITE
const uint INDEFINITE = 4;

// minor is the order of the first leading minor that is not positive definite, or 0. All invocations
// have the same one.
uint minor;

// factor computes the factor L of the block on the diagonal from column k on, and X = L⁻¹, in
// registers. The block becomes S: S(i, j) is L(i, j) for i > j, and X(j, i) for i ≤ j, as in
// potrf_block.
void factor(uint k) {
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			if (row_ + a * SIDE < col + b * SIDE) block[a + b * EACH] = scalar_t(0);
		}
	}
	barrier();
	for (uint s = 0; s < depth(k); s++) {
		// Two columns in shared memory take turns, so that one barrier a step is enough.
		uint column = s % 2 * TILE;
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				if (col + b * SIDE == s) factors[column + row_ + a * SIDE] = block[a + b * EACH];
			}
		}
		barrier();
		real_t pivot = real_of(factors[column + s]), inverse;
		bool positive = pivot > 0.0 && finite(pivot);
		if (!positive && minor == 0) minor = k + s + 1;
		pivot_root(positive ? pivot : real_t(1), inverse);
		scalar_t left[EACH], right[EACH];
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			left[a] = inverse * factors[column + row_ + a * SIDE];
			if (row_ + a * SIDE == s) left[a] = of_real(inverse);
			right[a] = inverse * factors[column + col + a * SIDE];
		}
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				uint i = row_ + a * SIDE, j = col + b * SIDE;
				scalar_t by = i < j ? right[b] : conjugate(right[b]);
				if (j == s) block[a + b * EACH] = left[a];
				if (j > s && (i <= s || i >= j)) block[a + b * EACH] = mad(-left[a], by, block[a + b * EACH]);
			}
		}
	}
}

// invert stores X from S, with zeros above the diagonal, to the block on the diagonal of the matrix.
void invert(uint k) {
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint c = 0; c < EACH; c++) {
			uint i = row_ + c * SIDE, j = col + b * SIDE;
			if (k + max(i, j) < n) a.at[(k + i) * n + k + j] = i > j ? scalar_t(0) : block[c + b * EACH];
		}
	}
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup();
#ifdef COMPLEX
	m = p.matrices.at[index];
#else
	BatchMatrix m = p.matrices.at[index];
#endif
	a = SharedReals(element(uint64_t(p.b), long_(m.a), 0, 0));
	begin_blocks(m.n);
	if (p.from * TILE >= n) return;
	minor = p.states.at[index].lo;
	if (p.from == 0) {
		real_t most = largest(upper_of(m));
		int exponent = exponent_for(max(most, 0.0)) + 1 & ~1;
		mirror(upper_of(m), scale_for(exponent), most < 0.0);
		if (t == 0) p.states.at[index].exponent = exponent;
		if (most < 0.0) {
			if (t == 0) p.states.at[index].status = NONFINITE;
			minor = ~0u; // so that the status stays
		}
	}
	for (uint k = p.from * TILE; k < min(p.to * TILE, n); k += TILE) {
		for (uint i = k; i < n; i += TILE) {
			load(a, i, k, n);
			for (uint j = 0; j < k; j += TILE) {
				barrier();
				fetch(0, a, i, j, n, false);
				fetch(SECOND, a, k, j, n, true);
				barrier();
				subtract(TILE);
			}
			if (i == k) {
				factor(k);
				invert(k);
				meet();
			} else {
				barrier();
				negate(0);
				fetch(SECOND, a, k, k, n, true);
				barrier();
				subtract(depth(k));
				store(a, i, k, n, false);
			}
		}
		meet();
	}
	if (t == 0) {
		p.states.at[index].lo = minor;
		if (minor != 0 && minor != ~0u) p.states.at[index].status = INDEFINITE;
	}
}
