// This header describes the two factors of a tiled product. It also defines from_memory, a variant
// of tile_product that reads the factors directly from memory. This variant is for CPUs, because
// the cache of a CPU is as fast as its shared memory.
//
// The kernels of products include this header, after tile.glsl and before tile_product.glsl. The
// header defines Factor, conjugate_factors, value and from_memory.
#ifndef TILE_FACTOR_GLSL
#define TILE_FACTOR_GLSL

// ALONG, ACROSS and MIRRORED are the forms of a factor. The form tells where element (r, k) of the
// factor lies, in elements after the address Factor.at. r is a row of op(A), or a column of op(B).
// k is the index of the inner dimension.
//
//	ALONG     at r + k·ld, for A or Bᵀ
//	ACROSS    at k + r·ld, for Aᵀ or B
//	MIRRORED  the factor is a symmetric or Hermitian matrix of which the lower triangle is stored.
//	          Its element (r, diagonal + r) is a diagonal element. Factor.at is element
//	          (0, diagonal). Imaginary parts on the diagonal count as zero
const uint ALONG = 0;
const uint ACROSS = 1;
const uint MIRRORED = 2;

// A Factor describes one factor of the product. Row 0 is the first row of the workgroup's tile.
struct Factor {
	// at is the address of element (0, 0), or of element (0, diagonal) if the form is MIRRORED.
	uint64_t at;
	// ld is the leading dimension. `extent` is the number of rows r that exist. `form` is ALONG,
	// ACROSS or MIRRORED. If `form` is MIRRORED, `diagonal` is the index k of the diagonal element
	// in row 0.
	uint ld, extent, form, diagonal;
};

// place returns the distance in memory of element (r, k) of a factor from the address Factor.at, in
// elements.
uint64_t place(Factor f, uint r, uint k) {
	if (f.form == ALONG) return r + uint64_t(k) * f.ld;
	if (f.form == ACROSS) return k + uint64_t(r) * f.ld;
	k -= f.diagonal;
	return max(r, k) + uint64_t(min(r, k)) * f.ld;
}

// conjugate_factors sets which of the two factors are conjugated in the next products. Before the
// first call no factor is conjugated. Real kernels have no such choice.
#ifdef COMPLEX
// sign_a and sign_b are SIGN_BIT if the first factor, or the second factor, is conjugated;
// otherwise 0.
uint sign_a = 0, sign_b = 0;
void conjugate_factors(bool a, bool b) { sign_a = a ? SIGN_BIT : 0, sign_b = b ? SIGN_BIT : 0; }
#else
#define conjugate_factors(a, b)
#endif

// value loads element (r, k) of a factor of a product. The element must exist.
#ifdef COMPLEX
acc_t value(Factor f, uint r, uint k) {
	acc_t x = MatrixIn(f.at + SCALAR_BYTES * place(f, r, k)).at[0];
	bool mirrored = f.form == MIRRORED;
	uint diagonal = r + f.diagonal; // the index k of the diagonal element of this row
	return real_if(mirrored && k == diagonal, conjugated(x, mirrored && k > diagonal ? SIGN_BIT : 0));
}
#else
acc_t value(Factor f, uint r, uint k) { return acc_t(MatrixIn(f.at + SCALAR_BYTES * place(f, r, k)).at[0]); }
#endif

// from_memory adds a tile of the product of two factors to acc, as the function tile_product does,
// but loads each element directly from memory. If a row or column lies past the extent of the
// factor, from_memory loads the last row or column instead. No invocation stores the results of
// such rows and columns.
void from_memory(Factor a, Factor b, uint first, uint end) {
	uint rows[THREAD_M], cols[THREAD_N];
	[[unroll]] for (uint r = 0; r < THREAD_M; r++) rows[r] = min(tile_row(r), a.extent - 1);
	[[unroll]] for (uint c = 0; c < THREAD_N; c++) cols[c] = min(tile_col(c), b.extent - 1);
	[[dont_unroll]] for (uint k = first; k < end; k++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) part_a[r] = conjugated(value(a, rows[r], k), sign_a);
		[[unroll]] for (uint c = 0; c < THREAD_N; c++) part_b[c] = conjugated(value(b, cols[c], k), sign_b);
		multiply_add();
	}
}

#endif
