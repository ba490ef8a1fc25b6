// sygst_batch reduces many generalized eigenproblems to standard form, C = L⁻¹·(A·2^-e)·L⁻ᴴ (LAPACK
// dsygst, zhegst, itype 1), with the factors of potrf_batch. One workgroup processes one matrix.
//
// complex
//
// in:      matrices  the matrices [first, first + count)
//          factors   the factors of potrf_batch, in the sequence of the matrices, or one for all if
//                    `stride` is 0. `found` has their states, and l their entries
// in, out: a         before the first step one triangle of each matrix. At the end, the lower triangle
//                    is that of C, with a real diagonal, and the upper one is undefined
//          states    status and exponent e, set by the first step
//
// A matrix is scaled by a power of two to entries below 4 in magnitude. If it has a NaN or an
// infinity, its status becomes NONFINITE. Then, and if the factor's status is not GOOD, C = 0.
//
// The first `blocks` steps compute W = L⁻¹·A in place, one block column of TILE columns each. The next
// `blocks` steps compute the lower triangle of C = W·L⁻ᴴ in place, one block row each. A dispatch
// does the steps [from, to). The bits depend on n and TILE.
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
#include "scale.glsl"
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
	Matrices matrices, factors;
	States states, found;
	SharedReals a, l;
	// stride  1 if each matrix has a factor of its own, and 0 if the first one is that of all
	// blocks  number of block columns of the largest matrix
	uint first, count, stride, blocks, from, to;
} p;

SharedReals a;
#ifdef COMPLEX
BatchMatrix m;
#endif
#define tile factors
#include "triangle.glsl"

// solve_column computes the columns of W from column j on, from the first row to the last one.
void solve_column(SharedReals l, uint j) {
	for (uint i = 0; i < n; i += TILE) {
		load(a, i, j, n);
		for (uint k = 0; k < i; k += TILE) {
			barrier();
			fetch(0, l, i, k, n, false);
			fetch(SECOND, a, k, j, n, false);
			barrier();
			subtract(TILE);
		}
		barrier();
		fetch(0, l, i, i, n, false);
		negate(SECOND);
		barrier();
		subtract(depth(i));
		store(a, i, j, n, false);
		meet();
	}
}

// solve_row computes the rows of C from row i on, from the first column to the diagonal.
void solve_row(SharedReals l, uint i) {
	for (uint j = 0; j <= i; j += TILE) {
		load(a, i, j, n);
		for (uint k = 0; k < j; k += TILE) {
			barrier();
			fetch(0, a, i, k, n, false);
			fetch(SECOND, l, j, k, n, true);
			barrier();
			subtract(TILE);
		}
		barrier();
		negate(0);
		fetch(SECOND, l, j, j, n, true);
		barrier();
		subtract(depth(j));
		store(a, i, j, n, true);
		meet();
	}
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup(), second = index * p.stride;
#ifdef COMPLEX
	m = p.matrices.at[index];
#else
	BatchMatrix m = p.matrices.at[index];
#endif
	a = SharedReals(element(uint64_t(p.a), long_(m.a), 0, 0));
	SharedReals l = SharedReals(element(uint64_t(p.l), long_(p.factors.at[second].a), 0, 0));
	begin_blocks(m.n);
	bool good = p.found.at[second].status == GOOD;
	if (p.from == 0) {
		real_t most = largest(upper_of(m));
		int exponent = exponent_for(max(most, 0.0));
		good = good && most >= 0.0;
		mirror(upper_of(m), scale_for(exponent), !good);
		if (t == 0) {
			p.states.at[index].status = most < 0.0 ? NONFINITE : GOOD;
			p.states.at[index].exponent = exponent;
		}
	} else {
		good = good && p.states.at[index].status == GOOD;
	}
	if (!good) return;
	for (uint step_ = p.from; step_ < p.to; step_++) {
		uint k = step_ % p.blocks * TILE;
		if (k >= n) continue;
		if (step_ < p.blocks) solve_column(l, k);
		else solve_row(l, k);
	}
}
