// random_fill makes a matrix of random numbers, uniform in [−1, 1).
//
// out: x  rows×cols, column-major; element (i, j) is zero if i + j ≥ end
//
// With end = n, rows = b + 1 and ld = 2b, x is a compact band of order n and half-bandwidth b.
// Memory between row `rows` and the next column is not touched.
//
// Grid: one invocation per element; ⌈rows/LOCAL_SIZE⌉ workgroups per column, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "random.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixOut x;
	// Elements (i, j) with i + j ≥ end are zero. With end ≥ rows + cols − 1 there are none.
	uint64_t end;
	// ld is at least rows. `seed` selects the random numbers, and may have any value.
	uint rows, cols, ld, seed;
} p;

void main() {
	uint down = (p.rows + LOCAL_SIZE - 1) / LOCAL_SIZE;
	uint i = workgroup() % down * LOCAL_SIZE + gl_LocalInvocationIndex, j = workgroup() / down;
	if (i >= p.rows || j >= p.cols) return;
	MatrixOut x = MatrixOut(element(uint64_t(p.x), i, j, p.ld));
	x.at[0] = uint64_t(i) + j < p.end ? uniform_at(i, j, p.seed) : real_t(0);
}
