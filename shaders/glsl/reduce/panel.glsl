// This header has the common parts of the kernels that factor one panel: the division of the panel
// among workgroups, and dot products of its columns.
//
// The kernels geqrf_panel_* include this header. The header includes the numerics header,
// index.glsl, scale.glsl and reduce.glsl, declares specialization constants 0 to 2, and defines
// add_dots, share_of, column_total and put_dots. The kernel's push block p must have the member
// `rows`.
//
// A panel of m rows and COLUMNS columns is divided among workgroups. Each workgroup owns p.rows
// rows, a multiple of CHUNK. A workgroup processes its rows in chunks of CHUNK rows, through a tile
// in shared memory.
//
// The data that one dispatch passes to the next is called a state. It is the next row of the panel
// (COLUMNS values), followed by COLUMNS partial dot products of each workgroup g:
//
//	state[l]                      element l of the row
//	state[COLUMNS·(1 + g) + l]    workgroup g's part of the dot product with column l
#ifndef PANEL_GLSL
#define PANEL_GLSL
#include "numerics.glsl"
#include "index.glsl"
#include "scale.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a multiple of CHUNK, at least COLUMNS.
layout(constant_id = 0) const uint LOCAL_SIZE = 128;
// COLUMNS is the number of columns of the panel, 1 to 128.
layout(constant_id = 1) const uint COLUMNS = 32;
// CHUNK is the number of rows of the panel that a workgroup processes at a time, a power of two.
layout(constant_id = 2) const uint CHUNK = 64;

#include "reduce.glsl"

const uint LANES = LOCAL_SIZE / CHUNK;            // invocations that share a row of a chunk
const uint PER_LANE = (COLUMNS + LANES - 1) / LANES; // columns of that row for each of them
const uint SEGMENTS = LOCAL_SIZE / COLUMNS;         // invocations that share a dot product
const uint STRIDE = CHUNK + 1;                    // leading dimension of the tile: odd, so that no two rows have bank conflicts

// `tile` holds the rows of the panel that the workgroup processes at a time (a chunk). Element (r,
// l) lies at r + l·STRIDE.
shared work_t tile[COLUMNS * STRIDE];

// add_dots returns `sum` plus this invocation's part of a dot product xᴴ·a of two columns of the
// rows in shared memory: x is column number `pivot`, and a is column c, where c = t % COLUMNS and t
// is the number of the invocation. If c < `pivot`, add_dots returns `sum`.
acc_t add_dots(acc_t sum, uint pivot) {
	uint column = gl_LocalInvocationIndex % COLUMNS;
	if (column < pivot) return sum;
	// The sum is computed in two independent chains of additions, which hide each other's latency.
	acc_t odd = acc_t(0);
	for (uint r = gl_LocalInvocationIndex / COLUMNS; r < CHUNK; r += 2 * SEGMENTS) {
		sum = mad_conj(acc_t(tile[pivot * STRIDE + r]), acc_t(tile[column * STRIDE + r]), sum);
		if (r + SEGMENTS < CHUNK) odd = mad_conj(acc_t(tile[pivot * STRIDE + r + SEGMENTS]), acc_t(tile[column * STRIDE + r + SEGMENTS]), odd);
	}
	return sum + odd;
}

// share_of and column_total add up one value for each column of the panel. Invocation t passes to
// share_of a part of the value for column t % COLUMNS. All invocations must call share_of, and then
// a barrier must follow. After the barrier, column_total returns the total of any column to any
// invocation. The order of the additions depends on LOCAL_SIZE and COLUMNS alone. Another barrier
// must come before the next share_of.
void share_of(acc_t x) { reduce_room[gl_LocalInvocationIndex] = x; }

acc_t column_total(uint column) {
	acc_t even = acc_t(0), odd = acc_t(0);
	for (uint s = 0; s < SEGMENTS; s += 2) {
		even += reduce_room[s * COLUMNS + column];
		if (s + 1 < SEGMENTS) odd += reduce_room[(s + 1) * COLUMNS + column];
	}
	return even + odd;
}

// put_dots adds up the values `share` of all invocations, which are parts of dot products. It
// stores to `state` this workgroup's partial dot products of column number `pivot` with this column
// and all later columns. All invocations must call put_dots.
void put_dots(MatrixOut state, acc_t share, uint pivot) {
	uint t = gl_LocalInvocationIndex;
	share_of(share);
	barrier();
	if (t >= pivot && t < COLUMNS) state.at[COLUMNS * (1 + gl_WorkGroupID.x) + t] = scalar_t(column_total(t));
}

#endif
