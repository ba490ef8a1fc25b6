// This header defines tile_product, which adds a tile of op(A)·op(B) to acc.
//
//	acc(r, c) += Σ a(r, k)·b(c, k),   first ≤ k < end
//
// A factor is conjugated if the last call of conjugate_factors has asked for it.
//
// The kernels of products include this header, after tile.glsl and tile_factor.glsl. Elements with
// r or c past the factor's extent count as zero and are not read. Every invocation of the workgroup
// must call tile_product, with the same arguments.
//
// Tiles of both factors are copied to shared memory, because many invocations read each element.
// The copies use software pipelining: the loads of the next tiles into registers are issued before
// the current tiles are multiplied, so that the arithmetic hides their latency. Tiles that lie
// wholly inside the matrices are loaded without checks.
#ifndef TILE_PRODUCT_GLSL
#define TILE_PRODUCT_GLSL

// STRIDE_M and STRIDE_N are the distances from element (r, k) to element (r, k+1) in the tiles of
// the two factors in shared memory. The distances are odd if the sides of the tile are even, so
// that writes along r and writes along k have no bank conflicts. In packed tiles each index k
// begins with a whole pack, and the distances are odd numbers of packs if the sides of the tile
// have even numbers of packs.
const uint STRIDE_M = TILE_M + NEAR, STRIDE_N = TILE_N + NEAR;
// FETCH_M and FETCH_N are the numbers of elements that one invocation loads of a tile of the first
// and of the second factor.
const uint FETCH_M = TILE_M * TILE_K / LOCAL_SIZE, FETCH_N = TILE_N * TILE_K / LOCAL_SIZE;

// tile_a and tile_b are the tiles in shared memory. Each array has BUFFERS buffers, but at least
// one. Element (r, k) of buffer number i lies at index (i·TILE_K + k)·STRIDE + r, where STRIDE is
// STRIDE_M for tile_a and STRIDE_N for tile_b. Packed tiles are in packs_a and packs_b, where pack
// number j has the elements from index j·PACK on. Arrays that are not used have one element, and
// compilers remove them.
const uint LINES = (BUFFERS == 0 ? 1 : BUFFERS) * TILE_K;
shared scalar_t tile_a[PACKED ? 1 : LINES * STRIDE_M];
shared scalar_t tile_b[PACKED ? 1 : LINES * STRIDE_N];
shared pack_t packs_a[PACKED ? LINES * STRIDE_M / PACK : 1];
shared pack_t packs_b[PACKED ? LINES * STRIDE_N / PACK : 1];
// next_a and next_b are this invocation's elements of the next tiles. They are loaded from memory
// and not yet stored to shared memory.
scalar_t next_a[FETCH_M], next_b[FETCH_N];

// All invocations of a workgroup copy a tile together. A Walk says which elements of the tile one
// invocation copies. An invocation copies its elements in batches of WIDE elements. Neighbouring
// invocations copy elements that are neighbours in memory.
//
//	r, k           the first element
//	near_r         step in r from one element of a batch to the next
//	far_r, far_k   step from the first element of a batch to the first one of the next batch
struct Walk { uint r, k, near_r, far_r, far_k; };

// WIDE_M and WIDE_N are the numbers of elements in a batch that an invocation moves: the length of
// the tile's edge divided by LOCAL_SIZE, but at least 1.
const uint WIDE_M = TILE_M > LOCAL_SIZE ? TILE_M / LOCAL_SIZE : 1;
const uint WIDE_N = TILE_N > LOCAL_SIZE ? TILE_N / LOCAL_SIZE : 1;

// All invocations of a workgroup copy a tile of a factor together. walk returns which elements of
// the tile this invocation loads. `form` says how the factor is stored, `tile` is the number of
// rows of the tile, and `wide` is the number of elements that are loaded at a time.
Walk walk(uint form, uint tile, uint wide) {
	uint t = gl_LocalInvocationIndex;
	if (form == ACROSS) {
		const uint rows = LOCAL_SIZE / TILE_K;
		return Walk(t / TILE_K, t % TILE_K, rows, wide * rows, 0u);
	}
	return Walk(t % tile, t / tile, LOCAL_SIZE, 0u, max(LOCAL_SIZE / tile, 1u));
}

// offset returns the distance of element (r, k) from the corner of its tile, in elements. The tile
// must lie wholly inside the factor, and the form must not be MIRRORED.
uint offset(Factor f, uint r, uint k) { return f.form == ALONG ? r + k * f.ld : k + r * f.ld; }

// checked loads element (r, k) of a factor. It returns zero if r is not less than the extent of the
// factor, or if k is not less than `end`.
scalar_t checked(Factor f, uint r, uint k, uint end) {
	return r < f.extent && k < end ? scalar_t(value(f, r, k)) : scalar_t(0);
}

// inside tells whether the tile that begins at index k of the inner dimension lies wholly inside
// the factor. Such a tile can be loaded without checks.
bool inside(Factor f, uint tile, uint k, uint end) {
	return f.extent >= tile && k + TILE_K <= end && f.form != MIRRORED;
}

// fetch loads this invocation's elements of the next tiles of both factors into next_a and next_b.
// The tiles begin at index k of the inner dimension.
void fetch(Factor a, Factor b, uint k, uint end) {
	Walk w = walk(a.form, TILE_M, WIDE_M);
	if (inside(a, TILE_M, k, end)) {
		MatrixIn from = MatrixIn(a.at + SCALAR_BYTES * place(a, 0, k));
		uint at = offset(a, w.r, w.k), near = offset(a, w.near_r, 0), far = offset(a, w.far_r, w.far_k);
		[[unroll]] for (uint s = 0; s < FETCH_M; s++)
			next_a[s] = conjugated(from.at[at + s % WIDE_M * near + s / WIDE_M * far], sign_a);
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_M; s++)
			next_a[s] = conjugated(checked(a, w.r + s % WIDE_M * w.near_r + s / WIDE_M * w.far_r, k + w.k + s / WIDE_M * w.far_k, end), sign_a);
	}
	w = walk(b.form, TILE_N, WIDE_N);
	if (inside(b, TILE_N, k, end)) {
		MatrixIn from = MatrixIn(b.at + SCALAR_BYTES * place(b, 0, k));
		uint at = offset(b, w.r, w.k), near = offset(b, w.near_r, 0), far = offset(b, w.far_r, w.far_k);
		[[unroll]] for (uint s = 0; s < FETCH_N; s++)
			next_b[s] = conjugated(from.at[at + s % WIDE_N * near + s / WIDE_N * far], sign_b);
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_N; s++)
			next_b[s] = conjugated(checked(b, w.r + s % WIDE_N * w.near_r + s / WIDE_N * w.far_r, k + w.k + s / WIDE_N * w.far_k, end), sign_b);
	}
}

// put stores the elements that `fetch` has loaded (next_a and next_b) to buffer number buffer_ in
// shared memory. In the buffer, the elements with the same index k of the inner dimension are
// contiguous. In packed tiles, the distance from an element of a Walk to the next one is a whole
// number of packs.
void put(Factor a, Factor b, uint buffer_) {
	Walk w = walk(a.form, TILE_M, WIDE_M);
	uint at = (buffer_ * TILE_K + w.k) * STRIDE_M + w.r, part = at % NEAR;
	uint near = w.near_r / NEAR, far = (w.far_k * STRIDE_M + w.far_r) / NEAR;
	at /= NEAR;
	if (PACKED) {
		[[unroll]] for (uint s = 0; s < FETCH_M; s++) PART(packs_a[at + s % WIDE_M * near + s / WIDE_M * far], part) = next_a[s];
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_M; s++) tile_a[at + s % WIDE_M * near + s / WIDE_M * far] = next_a[s];
	}
	w = walk(b.form, TILE_N, WIDE_N);
	at = (buffer_ * TILE_K + w.k) * STRIDE_N + w.r, part = at % NEAR;
	near = w.near_r / NEAR, far = (w.far_k * STRIDE_N + w.far_r) / NEAR;
	at /= NEAR;
	if (PACKED) {
		[[unroll]] for (uint s = 0; s < FETCH_N; s++) PART(packs_b[at + s % WIDE_N * near + s / WIDE_N * far], part) = next_b[s];
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_N; s++) tile_b[at + s % WIDE_N * near + s / WIDE_N * far] = next_b[s];
	}
}

// load_parts loads part_a and part_b, the elements of one step of the inner dimension, from shared
// memory. at_a and at_b are the indices of this invocation's first row and first column, in packs
// if the tile is packed.
void load_parts(uint at_a, uint at_b) {
	if (PACKED) {
		[[unroll]] for (uint r = 0; r < THREAD_M / PACK; r++) {
			pack_t x = packs_a[at_a + r * THREADS_M];
			[[unroll]] for (uint i = 0; i < PACK; i++) part_a[r * PACK + i] = acc_t(PART(x, i));
		}
		[[unroll]] for (uint c = 0; c < THREAD_N / PACK; c++) {
			pack_t x = packs_b[at_b + c * THREADS_N];
			[[unroll]] for (uint i = 0; i < PACK; i++) part_b[c * PACK + i] = acc_t(PART(x, i));
		}
	} else {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) part_a[r] = acc_t(tile_a[at_a + r * THREADS_M]);
		[[unroll]] for (uint c = 0; c < THREAD_N; c++) part_b[c] = acc_t(tile_b[at_b + c * THREADS_N]);
	}
}

// multiply adds the product of the two tiles in buffer number buffer_ of shared memory to acc, the
// invocation's part of the result.
void multiply(uint buffer_) {
	const uint line_m = STRIDE_M / NEAR, line_n = STRIDE_N / NEAR;
	uint at_a = buffer_ * TILE_K * line_m + tile_row(0) / NEAR, at_b = buffer_ * TILE_K * line_n + tile_col(0) / NEAR;
	[[dont_unroll]] for (uint k = 0; k < TILE_K; k += UNROLL) {
		[[unroll]] for (uint u = 0; u < UNROLL; u++) {
			load_parts(at_a + (k + u) * line_m, at_b + (k + u) * line_n);
			multiply_add();
		}
	}
}

// tile_product adds the product of a tile of op(A) and a tile of op(B) to acc, for first ≤ k < end.
// The top of this file has the formula.
void tile_product(Factor a, Factor b, uint first, uint end) {
	if (first >= end) return;
	if (BUFFERS == 0) {
		from_memory(a, b, first, end);
		return;
	}
	fetch(a, b, first, end);
	uint buffer_ = 0;
	[[dont_unroll]] for (uint k = first; k < end; k += TILE_K) {
		put(a, b, buffer_);
		barrier();
		if (k + TILE_K < end) fetch(a, b, k + TILE_K, end);
		multiply(buffer_);
		// With one buffer, no invocation may store the next tiles before all invocations have
		// multiplied the current ones. With two buffers, the next tiles go to the other buffer. All
		// invocations finished reading the other buffer before the barrier above.
		if (BUFFERS == 1) barrier();
		else buffer_ ^= 1;
	}
	// The first tiles of the next product are stored to buffer 0, which other invocations may still
	// be reading. So a barrier is needed here.
	if (BUFFERS > 1) barrier();
}

#endif
