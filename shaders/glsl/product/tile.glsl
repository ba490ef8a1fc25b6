// How a matrix product is cut: a workgroup owns TILE_M×TILE_N elements of the
// result; each invocation accumulates THREAD_M×THREAD_N of them in registers,
// spread with the stride of the invocations so that neighbours touch neighbours.
//
//   LOCAL_SIZE = (TILE_M/THREAD_M)·(TILE_N/THREAD_N); with buffers, TILE_K divides
//   it, and TILE_M and TILE_N divide it or are multiples of it; UNROLL divides TILE_K
//
// After index.glsl.
#ifndef TILE_GLSL
#define TILE_GLSL

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint TILE_M = 32;
layout(constant_id = 2) const uint TILE_N = 32;
layout(constant_id = 3) const uint TILE_K = 16;
layout(constant_id = 4) const uint THREAD_M = 4;
layout(constant_id = 5) const uint THREAD_N = 4;
layout(constant_id = 6) const uint UNROLL = 4;  // steps of the inner dimension written out in a row
layout(constant_id = 7) const uint BUFFERS = 1; // copies of the tiles in shared memory: 2 spare a barrier, 0 reads memory

const uint THREADS_M = TILE_M / THREAD_M;
const uint THREADS_N = TILE_N / THREAD_N;

// The invocation's part of the result, column-major, and of the factors at one
// step of the inner dimension. They are variables of the module, not arguments:
// no compiler is then tempted to copy them, and they stay in registers.
acc_t acc[THREAD_M * THREAD_N];
acc_t part_a[THREAD_M], part_b[THREAD_N];

// tile_row and tile_col are where its element (r, c) stands in the tile.
uint tile_row(uint r) { return gl_LocalInvocationIndex % THREADS_M + r * THREADS_M; }
uint tile_col(uint c) { return gl_LocalInvocationIndex / THREADS_M + c * THREADS_N; }

void clear_acc() {
	[[unroll]] for (uint e = 0; e < THREAD_M * THREAD_N; e++) acc[e] = acc_t(0);
}

// multiply_add is one step of the inner dimension: acc += part_a·part_bᵀ.
void multiply_add() {
	[[unroll]] for (uint c = 0; c < THREAD_N; c++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) acc[c * THREAD_M + r] = fma(part_a[r], part_b[c], acc[c * THREAD_M + r]);
	}
}

#endif
