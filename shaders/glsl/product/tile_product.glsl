// tile_product adds a tile of op(A)·op(B) to acc.
//
//   acc(r, c) += Σ a(r, k)·b(c, k),   first ≤ k < end
//
// Elements with r or c beyond the factor's extent count as zero and are not
// read. Every invocation of the workgroup must call it with the same arguments.
//
// Tiles of both factors pass through shared memory, from where each element is
// read by many. The next tiles' loads are issued before the current ones are
// multiplied, into registers: their latency hides behind the arithmetic. Tiles
// wholly inside the matrices are loaded without checks.
//
// After tile.glsl and tile_factor.glsl.
#ifndef TILE_PRODUCT_GLSL
#define TILE_PRODUCT_GLSL

// An odd stride keeps both directions of writing free of bank conflicts.
const uint STRIDE_M = TILE_M + 1, STRIDE_N = TILE_N + 1;
const uint FETCH_M = TILE_M * TILE_K / LOCAL_SIZE, FETCH_N = TILE_N * TILE_K / LOCAL_SIZE;

shared real_t tile_a[(BUFFERS == 0 ? 1 : BUFFERS) * TILE_K * STRIDE_M];
shared real_t tile_b[(BUFFERS == 0 ? 1 : BUFFERS) * TILE_K * STRIDE_N];
real_t next_a[FETCH_M], next_b[FETCH_N];

// A walk is an invocation's way through a tile that the workgroup moves together, WIDE
// elements at a time: its first element, the step from one of the WIDE to the next, and that
// from the first of the WIDE to the first of the following. Neighbours in the workgroup are
// neighbours in memory.
struct Walk { uint r, k, near_r, far_r, far_k; };

const uint WIDE_M = TILE_M > LOCAL_SIZE ? TILE_M / LOCAL_SIZE : 1; // times that the workgroup goes along a tile's edge
const uint WIDE_N = TILE_N > LOCAL_SIZE ? TILE_N / LOCAL_SIZE : 1;

Walk walk(uint form, uint tile, uint wide) {
	uint t = gl_LocalInvocationIndex;
	if (form == ACROSS) {
		const uint rows = LOCAL_SIZE / TILE_K;
		return Walk(t / TILE_K, t % TILE_K, rows, wide * rows, 0u);
	}
	return Walk(t % tile, t / tile, LOCAL_SIZE, 0u, max(LOCAL_SIZE / tile, 1u));
}

// offset is how far (r, k) is behind the corner of its tile, for what is inside.
uint offset(Factor f, uint r, uint k) { return f.form == ALONG ? r + k * f.ld : k + r * f.ld; }

// checked is element (r, k), zero outside the factor.
real_t checked(Factor f, uint r, uint k, uint end) {
	return r < f.extent && k < end ? real_t(value(f, r, k)) : real_t(0);
}

bool inside(Factor f, uint tile, uint k, uint end) {
	return f.extent >= tile && k + TILE_K <= end && f.form != MIRRORED;
}

void fetch(Factor a, Factor b, uint k, uint end) {
	Walk w = walk(a.form, TILE_M, WIDE_M);
	if (inside(a, TILE_M, k, end)) {
		MatrixIn from = MatrixIn(a.at + REAL_BYTES * place(a, 0, k));
		uint at = offset(a, w.r, w.k), near = offset(a, w.near_r, 0), far = offset(a, w.far_r, w.far_k);
		[[unroll]] for (uint s = 0; s < FETCH_M; s++) next_a[s] = from.at[at + s % WIDE_M * near + s / WIDE_M * far];
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_M; s++)
			next_a[s] = checked(a, w.r + s % WIDE_M * w.near_r + s / WIDE_M * w.far_r, k + w.k + s / WIDE_M * w.far_k, end);
	}
	w = walk(b.form, TILE_N, WIDE_N);
	if (inside(b, TILE_N, k, end)) {
		MatrixIn from = MatrixIn(b.at + REAL_BYTES * place(b, 0, k));
		uint at = offset(b, w.r, w.k), near = offset(b, w.near_r, 0), far = offset(b, w.far_r, w.far_k);
		[[unroll]] for (uint s = 0; s < FETCH_N; s++) next_b[s] = from.at[at + s % WIDE_N * near + s / WIDE_N * far];
	} else {
		[[unroll]] for (uint s = 0; s < FETCH_N; s++)
			next_b[s] = checked(b, w.r + s % WIDE_N * w.near_r + s / WIDE_N * w.far_r, k + w.k + s / WIDE_N * w.far_k, end);
	}
}

// put moves what was fetched to shared memory, k by k.
void put(Factor a, Factor b, uint buffer_) {
	Walk w = walk(a.form, TILE_M, WIDE_M);
	uint at = (buffer_ * TILE_K + w.k) * STRIDE_M + w.r, near = w.near_r, far = w.far_k * STRIDE_M + w.far_r;
	[[unroll]] for (uint s = 0; s < FETCH_M; s++) tile_a[at + s % WIDE_M * near + s / WIDE_M * far] = next_a[s];
	w = walk(b.form, TILE_N, WIDE_N);
	at = (buffer_ * TILE_K + w.k) * STRIDE_N + w.r, near = w.near_r, far = w.far_k * STRIDE_N + w.far_r;
	[[unroll]] for (uint s = 0; s < FETCH_N; s++) tile_b[at + s % WIDE_N * near + s / WIDE_N * far] = next_b[s];
}

void multiply(uint buffer_) {
	uint at_a = buffer_ * TILE_K * STRIDE_M + tile_row(0), at_b = buffer_ * TILE_K * STRIDE_N + tile_col(0);
	[[dont_unroll]] for (uint k = 0; k < TILE_K; k += UNROLL) {
		[[unroll]] for (uint u = 0; u < UNROLL; u++) {
			[[unroll]] for (uint r = 0; r < THREAD_M; r++) part_a[r] = acc_t(tile_a[at_a + (k + u) * STRIDE_M + r * THREADS_M]);
			[[unroll]] for (uint c = 0; c < THREAD_N; c++) part_b[c] = acc_t(tile_b[at_b + (k + u) * STRIDE_N + c * THREADS_N]);
			multiply_add();
		}
	}
}

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
		// With one buffer nobody may put before all have multiplied. With two, the next put goes to
		// the other one, which was read before the barrier above.
		if (BUFFERS == 1) barrier();
		else buffer_ ^= 1;
	}
	// The next product's first put goes to buffer 0, which may still be read.
	if (BUFFERS > 1) barrier();
}

#endif
