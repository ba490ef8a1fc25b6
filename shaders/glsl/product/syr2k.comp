// syr2k computes the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ (LAPACK dsyr2k). For complex numbers it
// computes the lower triangle of C ← C − Y·Zᴴ − Z·Yᴴ (zher2k).
//
// complex
//
// in:      y, z  n×k
// in, out: c     n×n; the part above the diagonal is neither read nor written. Imaginary parts of
//                the diagonal become 0 and may hold NaN
//
// The lower triangle is cut into squares of TILE_M×TILE_M, and each square into tiles of
// TILE_M×TILE_N. TILE_N must divide TILE_M. A workgroup owns one tile. It adds up both products
// before it touches C, so that C is read and written once.
//
// A dispatch computes the tiles [first, first + count), so that the host can give a slow device a
// few tiles at a time. Grid: x and y together number these tiles. n and k need not be multiples of
// the tile. NaN above the diagonal of C does no harm. A NaN in row i of Y or Z makes row i and
// column i of C NaN. C must not overlap Y or Z. n = 0 must not be dispatched.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "tile.glsl"
#include "tile_order.glsl"
#include "tile_factor.glsl"
#include "tile_product.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixIn y, z;
	MatrixInOut c;
	// n is the order of the result C, at least 1. k is the number of columns of the factors Y and
	// Z. The leading dimensions are at least n.
	uint n, k, ldy, ldz, ldc;
	// This dispatch computes the tiles (blocks) [first, first + count) of the result C. Tile 0 is
	// at the upper left.
	uint first, count;
} p;

void main() {
	const uint parts = TILE_M / TILE_N;
	uint rows = (p.n + TILE_M - 1) / TILE_M;
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup();
	uvec2 square = lower_tile(index / parts, rows);
	uint i0 = square.x * TILE_M, j0 = square.y * TILE_M + index % parts * TILE_N;
	if (j0 >= p.n) return;

	clear_acc();
	conjugate_factors(false, true);
	uint64_t left = uint64_t(p.y), right = uint64_t(p.z);
	uint ld_left = p.ldy, ld_right = p.ldz;
	[[dont_unroll]] for (uint pass = 0; pass < 2; pass++) {
		Factor a = Factor(element(left, i0, 0, ld_left), ld_left, p.n - i0, ALONG, 0);
		Factor b = Factor(element(right, j0, 0, ld_right), ld_right, p.n - j0, ALONG, 0);
		tile_product(a, b, 0, p.k);
		left = uint64_t(p.z), right = uint64_t(p.y);
		ld_left = p.ldz, ld_right = p.ldy;
	}

	MatrixInOut c = MatrixInOut(element(uint64_t(p.c), i0, j0, p.ldc));
	[[unroll]] for (uint s = 0; s < THREAD_N; s++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint i = tile_row(r), j = tile_col(s);
			if (i0 + i >= p.n || i0 + i < j0 + j) continue;
			uint at = i + j * p.ldc;
			c.at[at] = scalar_t(real_if(i0 + i == j0 + j, acc_t(c.at[at]) - acc[s * THREAD_M + r]));
		}
	}
}
