// symm computes P = A·W for a symmetric A, or partial products that gemm_sum adds up (LAPACK dsymm
// from the left). A complex A is Hermitian (zhemm).
//
// complex
//
// in:  a  m×m; only its lower triangle is read
//      w  m×n
// out: p  m×n, overwritten; the result of split z begins at p + z·stride_p
//
// A dispatch computes the tiles [first, first + count) of P, so that the host can give a slow
// device a few tiles at a time. Grid: x and y together number these tiles. z is the number of a
// part (split) of the inner dimension, which is the range [z·stretch, (z+1)·stretch).
//
// A row of tiles of A is read in three pieces. The piece left of the diagonal tile is read as it is
// stored. The piece right of the diagonal tile is not read: its conjugate transpose, below the
// diagonal tile, is read instead and conjugated. The diagonal tile is read element by element. m
// and n need not be multiples of the tile. The upper triangle of A and the imaginary parts of its
// diagonal may hold NaN. Any other NaN in the lower triangle, or a NaN in W, makes the elements of
// P that depend on it NaN. P must not overlap A or W. m = 0 or n = 0 must not be dispatched.
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
	MatrixIn a, w;
	MatrixOut p;
	// If the inner dimension is split, several partial products are stored. stride_p is the
	// distance in elements from one partial product to the next.
	uint64_t stride_p;
	// The factor W and the result P are m×n, at least 1×1, and m is the order of the matrix A. The
	// leading dimensions are at least m.
	uint m, n, lda, ldw, ldp;
	// The inner dimension is split into parts (split-K). `stretch` is the length of a part: a
	// multiple of TILE_K, or at least m.
	uint stretch;
	// This dispatch computes the tiles (blocks) [first, first + count) of the result P.
	uint first, count;
} p;

void main() {
	uint rows = (p.m + TILE_M - 1) / TILE_M, cols = (p.n + TILE_N - 1) / TILE_N;
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup();
	uvec2 tile = swath_tile(index, rows, cols);
	uint i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
	uint first = gl_WorkGroupID.z * p.stretch, end = min(p.m, first + p.stretch);

	uint64_t a = uint64_t(p.a);
	Factor w = Factor(element(uint64_t(p.w), 0, j0, p.ldw), p.ldw, p.n - j0, ACROSS, 0);
	clear_acc();
	// The three pieces of a row of tiles of A are: piece 0 left of the diagonal tile, piece 1 the
	// diagonal tile, and piece 2 right of the diagonal tile.
	[[dont_unroll]] for (uint piece = 0; piece < 3; piece++) {
		Factor f;
		uint from, to;
		if (piece == 0) {
			f = Factor(element(a, i0, 0, p.lda), p.lda, p.m - i0, ALONG, 0);
			from = 0, to = i0;
		} else if (piece == 1) {
			f = Factor(element(a, i0, i0, p.lda), p.lda, p.m - i0, MIRRORED, i0);
			from = i0, to = i0 + TILE_M;
		} else {
			f = Factor(element(a, 0, i0, p.lda), p.lda, p.m - i0, ACROSS, 0);
			from = i0 + TILE_M, to = p.m;
		}
		conjugate_factors(piece == 2, false);
		tile_product(f, w, max(first, from), min(end, to));
	}

	MatrixOut out_ = MatrixOut(element(uint64_t(p.p), gl_WorkGroupID.z * p.stride_p + i0, j0, p.ldp));
	[[unroll]] for (uint s = 0; s < THREAD_N; s++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint i = tile_row(r), j = tile_col(s);
			if (i0 + i < p.m && j0 + j < p.n) out_.at[i + j * p.ldp] = scalar_t(acc[s * THREAD_M + r]);
		}
	}
}
