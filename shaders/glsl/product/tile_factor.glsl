// This header describes the two factors of a tiled product, and has the form of tile_product that
// reads them from memory directly. That form is for CPUs, whose cache is as fast as their shared
// memory.
//
// The kernels of products include it, after tile.glsl and before tile_product.glsl. It defines
// Factor, value and from_memory.
#ifndef TILE_FACTOR_GLSL
#define TILE_FACTOR_GLSL

// These constants say where element (r, k) of a factor lies, as a number of elements after
// Factor.at. r is a row of op(A), or a column of op(B). k is the index of the inner dimension.
// ALONG: at r + k·ld, for A or Bᵀ. ACROSS: at k + r·ld, for Aᵀ or B. MIRRORED: the factor is a
// symmetric matrix of which the lower triangle is stored. Its element (r, diagonal + r) is a
// diagonal element, and Factor.at is the element r = 0, k = diagonal.
const uint ALONG = 0;
const uint ACROSS = 1;
const uint MIRRORED = 2;

// A Factor is one factor of the product, from the first row of the workgroup's tile on.
struct Factor {
	// at is the address of element (0, 0) of the tile.
	uint64_t at;
	// ld is the leading dimension, and extent the number of rows r that exist. form is ALONG,
	// ACROSS or MIRRORED. For MIRRORED, diagonal is the k of the diagonal element of row 0.
	uint ld, extent, form, diagonal;
};

// place returns how many elements after Factor.at the element (r, k) lies.
uint64_t place(Factor f, uint r, uint k) {
	if (f.form == ALONG) return r + uint64_t(k) * f.ld;
	if (f.form == ACROSS) return k + uint64_t(r) * f.ld;
	k -= f.diagonal;
	return max(r, k) + uint64_t(min(r, k)) * f.ld;
}

// value loads element (r, k), which must exist.
acc_t value(Factor f, uint r, uint k) { return acc_t(MatrixIn(f.at + SCALAR_BYTES * place(f, r, k)).at[0]); }

// from_memory does what tile_product does, but loads each element where it is needed. For rows and
// columns past the extent it repeats the last one. No invocation stores the results of such rows
// and columns.
void from_memory(Factor a, Factor b, uint first, uint end) {
	uint rows[THREAD_M], cols[THREAD_N];
	[[unroll]] for (uint r = 0; r < THREAD_M; r++) rows[r] = min(tile_row(r), a.extent - 1);
	[[unroll]] for (uint c = 0; c < THREAD_N; c++) cols[c] = min(tile_col(c), b.extent - 1);
	[[dont_unroll]] for (uint k = first; k < end; k++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) part_a[r] = value(a, rows[r], k);
		[[unroll]] for (uint c = 0; c < THREAD_N; c++) part_b[c] = value(b, cols[c], k);
		multiply_add();
	}
}

#endif
