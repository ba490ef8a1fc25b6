// The factors of a product, and tile_product where a cache is as near as shared
// memory would be: on CPUs.
//
// After tile.glsl.
#ifndef TILE_FACTOR_GLSL
#define TILE_FACTOR_GLSL

// How element (r, k) of a factor lies in memory, from Factor.at.
const uint ALONG = 0;    // at r + k·ld: A as it is, Bᵀ
const uint ACROSS = 1;   // at k + r·ld: Aᵀ, B as it is
const uint MIRRORED = 2; // in the lower triangle of a symmetric matrix, whose element
                         // (r, diagonal + r) is on its diagonal; at is r = 0, k = diagonal

struct Factor {
	uint64_t at;
	uint ld, extent, form, diagonal;
};

// place is how far element (r, k) is behind Factor.at, in elements.
uint64_t place(Factor f, uint r, uint k) {
	if (f.form == ALONG) return r + uint64_t(k) * f.ld;
	if (f.form == ACROSS) return k + uint64_t(r) * f.ld;
	k -= f.diagonal;
	return max(r, k) + uint64_t(min(r, k)) * f.ld;
}

acc_t value(Factor f, uint r, uint k) { return acc_t(MatrixIn(f.at + REAL_BYTES * place(f, r, k)).at[0]); }

// from_memory is tile_product with each element read where it is needed. Rows and
// columns beyond the extent repeat the last one: nobody stores what comes of them.
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
