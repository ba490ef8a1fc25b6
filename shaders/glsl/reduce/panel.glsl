// What the kernels of one panel factorisation share. A panel of m rows and
// COLUMNS columns is cut into workgroups of p.rows rows (a multiple of CHUNK), and
// those into chunks of CHUNK rows that pass through a tile in shared memory.
//
// Between two dispatches lies a state: COLUMNS values of the row that comes
// next, then for each workgroup COLUMNS partial dot products.
#ifndef PANEL_GLSL
#define PANEL_GLSL
#include "numerics_f64.glsl"
#include "index.glsl"
#include "scale.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 128; // a multiple of CHUNK, at least COLUMNS
layout(constant_id = 1) const uint COLUMNS = 32;
layout(constant_id = 2) const uint CHUNK = 64;

#include "reduce.glsl"

const uint LANES = LOCAL_SIZE / CHUNK;                  // invocations that share a row of a chunk
const uint PER_LANE = (COLUMNS + LANES - 1) / LANES;    // columns of that row, for each of them
const uint SEGMENTS = LOCAL_SIZE / COLUMNS;             // invocations that share a dot product
const uint STRIDE = CHUNK + 1;                          // odd: no bank conflicts across columns

shared work_t tile[COLUMNS * STRIDE];

// add_dots returns sum plus this invocation's share of the dot products of column
// pivot of the tile with column t % COLUMNS, where that is not before pivot.
acc_t add_dots(acc_t sum, uint pivot) {
	uint column = gl_LocalInvocationIndex % COLUMNS;
	if (column < pivot) return sum;
	acc_t odd = acc_t(0); // two chains: one would wait for itself
	for (uint r = gl_LocalInvocationIndex / COLUMNS; r < CHUNK; r += 2 * SEGMENTS) {
		sum = fma(acc_t(tile[pivot * STRIDE + r]), acc_t(tile[column * STRIDE + r]), sum);
		if (r + SEGMENTS < CHUNK) odd = fma(acc_t(tile[pivot * STRIDE + r + SEGMENTS]), acc_t(tile[column * STRIDE + r + SEGMENTS]), odd);
	}
	return sum + odd;
}

// share_of and column_total add up what the invocations have of each column, t of
// column t % COLUMNS, in the order of the invocations: all call share_of, then comes
// a barrier, then who wants may ask for any column's total. A barrier must stand before the
// next share_of.
void share_of(acc_t x) { reduce_room[gl_LocalInvocationIndex] = x; }

acc_t column_total(uint column) {
	acc_t even = acc_t(0), odd = acc_t(0);
	for (uint s = 0; s < SEGMENTS; s += 2) {
		even += reduce_room[s * COLUMNS + column];
		if (s + 1 < SEGMENTS) odd += reduce_room[(s + 1) * COLUMNS + column];
	}
	return even + odd;
}

// put_dots adds the shares up and writes this workgroup's partial results.
void put_dots(MatrixOut state, acc_t share, uint pivot) {
	uint t = gl_LocalInvocationIndex;
	share_of(share);
	barrier();
	if (t >= pivot && t < COLUMNS) state.at[COLUMNS * (1 + gl_WorkGroupID.x) + t] = real_t(column_total(t));
}

#endif
