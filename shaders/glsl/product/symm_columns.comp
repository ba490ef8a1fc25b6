// symm_columns computes the part of P = A·W that belongs to one of several devices, or partial
// products that symm_columns_sum adds up. A is symmetric, and its columns are divided among the
// devices (LAPACK dsymm from the left, as ScaLAPACK's pdsymm divides it). A complex A is Hermitian
// (pzhemm).
//
// complex
//
//	p(i, j) = Σ A(i, k)·w(k, j),   top ≤ i, k < n, and the device has column min(i, k)
//
// in:  a    the device's blocks of columns of A, as own_columns.glsl describes them
//      own  the table of these blocks
//      w    (n − top)×cols; row 0 belongs to row `top` of A
// out: p    (n − top)×cols, overwritten; the result of piece z begins at p + z·stride_p
//
// The sum of the results of all devices is the product of W and of the trailing matrix that begins
// at row `top`.
//
// Tiles of P begin at multiples of TILE_M in A, so that the first tile may begin before row `top`.
// If TILE_M divides WIDTH, a tile lies in the rows of one block, and its inner dimension consists
// of the columns that own_columns.glsl describes. The columns in the block and before it are read
// as they are stored. The columns after the block are read from the conjugate transpose. If TILE_M
// does not divide WIDTH, the inner dimension is n − top, and A is read element by element, which is
// slow.
//
// A dispatch computes the tiles [first, first + count) of P, so that the host can give a slow
// device a few tiles at a time. Grid: x and y together number these tiles. z is the number of a
// piece of the inner dimension, which is the range [z·stretch, (z+1)·stretch). A piece without
// columns is not stored, unless it is piece 0, which is then zero.
//
// No size need be a multiple of the tile. Elements of A before row or column `top` may be NaN. A
// NaN in another element of A or in W makes elements of P NaN. The imaginary parts of the diagonal
// must be zero, or as small as rounding errors. P must not overlap A or W. cols = 0 or top ≥ n must
// not be dispatched.
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
#include "own_columns.glsl"

// WIDTH is the number of columns of a block of A; the last block may have fewer.
layout(constant_id = 9) const uint WIDTH = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn a;
	Words own;
	MatrixIn w;
	MatrixOut p;
	// If the inner dimension is split, several partial products are stored. stride_p is the
	// distance in elements from one partial product to the next.
	uint64_t stride_p;
	// n is the order of A. The kernel multiplies the trailing matrix, which begins at row and
	// column `top`. `passed` is the number of the device's columns before column `top`.
	uint n, top, passed;
	// cols is the number of columns of the factor W and of the result P. The leading dimensions are
	// at least n − top.
	uint cols, ldw, ldp;
	// The inner dimension is split into pieces (split-K). `stretch` is the length of a piece: a
	// multiple of TILE_K, or at least the inner dimension.
	uint stretch;
	// This dispatch computes the tiles (blocks) [first, first + count) of the result P.
	uint first, count;
} p;

// own_element returns element (i, k) of A if it belongs to the device, and otherwise zero.
acc_t own_element(uint i, uint k) {
	uint col = min(i, k), block = col / WIDTH, from = block * WIDTH, before = own_blocks(p.own, block);
	if (own_blocks(p.own, block + 1) == before) return acc_t(0);
	uint64_t at = own_block(p.own, before).at + (max(i, k) - from);
	return conjugated(acc_t(MatrixIn(element(uint64_t(p.a), at, col - from, p.n - from)).at[0]), i < k ? SIGN_BIT : 0);
}

// by_elements adds a tile of the product to acc, for first ≤ k < end. The rows of the tile may
// belong to several blocks.
void by_elements(uint i0, Factor w, uint first, uint end) {
	[[dont_unroll]] for (uint k = first; k < end; k++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) part_a[r] = own_element(min(i0 + tile_row(r), p.n - 1), k);
		[[unroll]] for (uint c = 0; c < THREAD_N; c++) part_b[c] = value(w, min(tile_col(c), w.extent - 1), k);
		multiply_add();
	}
}

// by_blocks adds a tile of the product to acc. The rows of the tile lie in one block, and x is
// their inner dimension. The tile adds up the positions [first, end) of this dimension.
void by_blocks(uint i0, Factor w, Inner x, uint first, uint end) {
	[[dont_unroll]] for (uint s = first; s < end;) {
		bool along = s < x.along;
		uint l = along ? (s + p.passed) / WIDTH : x.before; // of the device's blocks
		OwnBlock own = own_block(p.own, l);
		uint from = own.number * WIDTH, ld = p.n - from;
		// The inner dimension is a list of columns of A. Its position s is column s + shift of A,
		// for s < stop. The address in Factor is the one that column 0 of A would have.
		uint shift, stop;
		Factor f;
		if (along) {
			shift = from + p.passed - l * WIDTH;
			stop = min(min(end, x.along), (l + 1) * WIDTH - p.passed);
			f = Factor(element(uint64_t(p.a), own.at + (i0 - from), -uint64_t(from), ld), ld, p.n - i0, ALONG, 0);
		} else {
			shift = from + WIDTH - x.along;
			stop = end;
			f = Factor(element(uint64_t(p.a), own.at - from, i0 - from, ld), ld, from + WIDTH - i0, ACROSS, 0);
		}
		conjugate_factors(!along, false);
		tile_product(f, w, s + shift, stop + shift);
		s = stop;
	}
}

void main() {
	uint above = p.top / TILE_M; // rows of tiles
	uint rows = (p.n + TILE_M - 1) / TILE_M - above, cols = (p.cols + TILE_N - 1) / TILE_N;
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup();
	uvec2 tile = swath_tile(index, rows, cols);
	uint i0 = (above + tile.x) * TILE_M, j0 = tile.y * TILE_N;

	const bool whole = WIDTH % TILE_M == 0;
	Inner x = Inner(0u, p.n - p.top, 0u);
	if (whole) x = inner(p.own, i0 / WIDTH, p.n, WIDTH, p.passed);
	uint first = gl_WorkGroupID.z * p.stretch, end = min(x.along + x.across, first + p.stretch);
	if (first > 0 && first >= end) return;

	// In the product of the matrix A and the factor W, column k of A meets row k − top of W. So `w`
	// begins at the address that a row −top of W would have: then k is the index of both factors.
	Factor w = Factor(element(uint64_t(p.w), -uint64_t(p.top), j0, p.ldw), p.ldw, p.cols - j0, ACROSS, 0);
	clear_acc();
	if (whole) by_blocks(i0, w, x, first, end);
	else by_elements(i0, w, p.top + first, p.top + end);

	uint64_t row = gl_WorkGroupID.z * p.stride_p + i0 - p.top; // of the first row of the tile
	MatrixOut out_ = MatrixOut(element(uint64_t(p.p), row, j0, p.ldp));
	[[unroll]] for (uint s = 0; s < THREAD_N; s++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint i = tile_row(r), j = tile_col(s);
			if (i0 + i >= p.top && i0 + i < p.n && j0 + j < p.cols) out_.at[i + j * p.ldp] = scalar_t(acc[s * THREAD_M + r]);
		}
	}
}
