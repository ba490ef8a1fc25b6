// gemm_batch multiplies many pairs of square matrices, C = A·B (BLAS dgemm). The orders of the
// pairs may differ.
//
// variant: gemm_batch
// variant: gemm_batch_pairs PAIRS
//
// For gemm_batch_pairs, A and C are complex, and B is real. So they are real matrices of 2·n rows
// that have the real and imaginary parts of each element one after another.
//
// in:  matrices  the pairs from number `first` on. The kernel reads the order n and the place `a`
//                of each pair: A, B and C have the same place in their buffers. For
//                gemm_batch_pairs it counts pairs of numbers
//      a, b      n×n each, leading dimension n
// out: c         n×n, leading dimension n
//
// c must not overlap a or b. Each element of C is one chain of multiply-adds, so its bits do not
// depend on the tile. A NaN in A or B makes the elements of C that depend on it NaN.
//
// Grid: x and y together number the tiles of the largest product; z numbers the pairs.
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
#include "product/tile.glsl"
#include "tile_order.glsl"
#include "product/tile_factor.glsl"
#include "product/tile_product.glsl"

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	MatrixIn a, b;
	MatrixOut c;
	uint first;
} p;

void main() {
	BatchMatrix m = p.matrices.at[p.first + gl_WorkGroupID.z];
	uint tiles_m = (rows_of(m.n) + TILE_M - 1) / TILE_M, tiles_n = (m.n + TILE_N - 1) / TILE_N, index = workgroup();
	if (index >= tiles_m * tiles_n) return;
	uvec2 tile = swath_tile(index, tiles_m, tiles_n);
	uint i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
	uint64_t at = long_(m.a);
	clear_acc();
	tile_product(Factor(element(uint64_t(p.a), rows_of(at) + i0, 0, 0), rows_of(m.n), rows_of(m.n) - i0, ALONG, 0),
		Factor(element(uint64_t(p.b), rows_of(at), j0, m.n), m.n, m.n - j0, ACROSS, 0), 0, m.n);
	// The body of these unrolled loops must be short, as stedc_multiply.comp explains.
	MatrixOut c = MatrixOut(element(uint64_t(p.c), rows_of(at) + i0, j0, rows_of(m.n)));
	[[unroll]] for (uint s = 0; s < THREAD_N; s++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint i = tile_row(r), j = tile_col(s);
			if (i0 + i >= rows_of(m.n) || j0 + j >= m.n) continue;
			c.at[i + j * rows_of(m.n)] = acc[s * THREAD_M + r];
		}
	}
}
