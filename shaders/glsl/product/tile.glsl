// This header divides a matrix product into tiles, and defines the registers of one invocation.
//
// The kernels of products include this header, after index.glsl. The header declares the workgroup
// size and specialization constants 0 to 8, and defines clear_acc and multiply_add.
//
// A workgroup computes TILE_M×TILE_N elements of the result. Each invocation accumulates
// THREAD_M×THREAD_N of them in registers. The elements of one invocation are THREADS_M rows and
// THREADS_N columns apart, so that neighbouring invocations access neighbouring elements. If the
// tile is packed, an invocation has packs of neighbouring elements instead of single ones.
//
// These conditions must hold:
//
//	THREAD_M divides TILE_M, THREAD_N divides TILE_N, UNROLL divides TILE_K
//	LOCAL_SIZE = (TILE_M/THREAD_M)·(TILE_N/THREAD_N); it divides TILE_M·TILE_K and TILE_N·TILE_K
//	with BUFFERS > 0, TILE_K divides LOCAL_SIZE
//	with BUFFERS > 0, TILE_M divides LOCAL_SIZE or is a multiple of it; the same holds for TILE_N
//	with PACKED, BUFFERS > 0, and PACK divides THREAD_M, THREAD_N and LOCAL_SIZE/TILE_K
#ifndef TILE_GLSL
#define TILE_GLSL

// pack_t is a vector of 16 bytes, and PACK is the number of its elements. A complex number is not
// packed, because it is a vector itself. PART(x, i) is element i of the pack x.
#ifdef COMPLEX
#define pack_t scalar_t
#define PACK 1
#define PART(x, i) (x)
#elif SCALAR_BYTES == 4
#define pack_t vec4
#define PACK 4
#else
#define pack_t dvec2
#define PACK 2
#endif
#ifndef COMPLEX
#define PART(x, i) (x)[i]
#endif

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, which computes one tile.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE_M and TILE_N are the numbers of rows and columns of a workgroup's tile of the result.
layout(constant_id = 1) const uint TILE_M = 32;
layout(constant_id = 2) const uint TILE_N = 32;
// TILE_K is the number of steps of the inner dimension for which shared memory holds the factors at
// a time.
layout(constant_id = 3) const uint TILE_K = 16;
// THREAD_M and THREAD_N are the numbers of rows and columns of an invocation's part of the tile.
layout(constant_id = 4) const uint THREAD_M = 4;
layout(constant_id = 5) const uint THREAD_N = 4;
// UNROLL is the number of steps of the inner dimension in one unrolled loop body.
layout(constant_id = 6) const uint UNROLL = 4;
// BUFFERS is the number of copies of the tiles in shared memory. 1 is single buffering. 2 is double
// buffering, which saves one barrier per step. With 0 there is no shared memory, and the factors
// are read from memory directly (for CPUs).
layout(constant_id = 7) const uint BUFFERS = 1;
// If PACKED is true, one instruction loads a pack from shared memory: PACK neighbouring rows, or
// PACK neighbouring columns, which are 16 bytes. The bits of the result do not depend on PACKED.
layout(constant_id = 8) const bool PACKED = false;

// The invocations that compute one tile form a grid of THREADS_M×THREADS_N invocations: THREADS_M
// in the direction of increasing row index, and THREADS_N in the direction of increasing column
// index.
const uint THREADS_M = TILE_M / THREAD_M;
const uint THREADS_N = TILE_N / THREAD_N;

// NEAR is the number of neighbouring rows, and of neighbouring columns, that an invocation has.
const uint NEAR = PACKED ? PACK : 1;

// acc is the invocation's part of the result (column-major). part_a and part_b are the elements of
// the two factors that the invocation needs at one step of the inner dimension. The three arrays
// are global variables and not function arguments, so that no compiler copies them and they stay in
// registers.
acc_t acc[THREAD_M * THREAD_N];
acc_t part_a[THREAD_M], part_b[THREAD_N];

// tile_row and tile_col return a row and a column of the tile: those of element (r, c) of this
// invocation's part of the tile.
uint tile_row(uint r) { return (gl_LocalInvocationIndex % THREADS_M + r / NEAR * THREADS_M) * NEAR + r % NEAR; }
uint tile_col(uint c) { return (gl_LocalInvocationIndex / THREADS_M + c / NEAR * THREADS_N) * NEAR + c % NEAR; }

void clear_acc() {
	[[unroll]] for (uint e = 0; e < THREAD_M * THREAD_N; e++) acc[e] = acc_t(0);
}

// multiply_add does one step of the inner dimension: acc += part_a·part_bᵀ, where acc is the
// invocation's part of the result.
void multiply_add() {
	[[unroll]] for (uint c = 0; c < THREAD_N; c++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) acc[c * THREAD_M + r] = mad(part_a[r], part_b[c], acc[c * THREAD_M + r]);
	}
}

#endif
