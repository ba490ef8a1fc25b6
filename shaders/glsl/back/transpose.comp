// transpose computes B = Aᵀ, without conjugation.
//
// complex
//
// in:  a  rows×cols
// out: b  cols×rows
//
// Tiles are copied through shared memory, so that both matrices are accessed contiguously. rows and
// cols need not be multiples of TILE. Values, including NaN, are copied unchanged. B must not
// overlap A.
//
// Grid: one workgroup for each tile of A, numbered by x and y together. An empty A must not be
// dispatched.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "storage.glsl"
#include "index.glsl"
#include "tile_order.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of TILE.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the number of rows and columns of a tile, the square block that a workgroup copies.
layout(constant_id = 1) const uint TILE = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn a;
	MatrixOut b;
	// The shape of A is rows×cols, at least 1×1. The leading dimension lda is at least rows, and
	// ldb is at least cols.
	uint rows, cols, lda, ldb;
} p;

shared work_t tile[TILE * (TILE + 1)]; // element (r, c) at r + c·(TILE + 1)

void main() {
	uint down = (p.rows + TILE - 1) / TILE, across = (p.cols + TILE - 1) / TILE;
	uint index = workgroup();
	if (index >= down * across) return;
	uvec2 at = swath_tile(index, down, across);
	uint i0 = at.x * TILE, j0 = at.y * TILE;
	uint r = gl_LocalInvocationIndex % TILE, first = gl_LocalInvocationIndex / TILE;

	MatrixIn a = MatrixIn(element(uint64_t(p.a), i0, j0, p.lda));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		if (i0 + r < p.rows && j0 + c < p.cols) tile[r + c * (TILE + 1)] = work_t(a.at[r + c * p.lda]);
	}
	barrier();
	MatrixOut b = MatrixOut(element(uint64_t(p.b), j0, i0, p.ldb));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		if (j0 + r < p.cols && i0 + c < p.rows) b.at[r + c * p.ldb] = scalar_t(tile[c + r * (TILE + 1)]);
	}
}
