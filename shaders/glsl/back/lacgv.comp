// lacgv conjugates a complex matrix in place: X ← conj(X) (LAPACK zlacgv). A real matrix stays
// unchanged.
//
// complex
//
// in, out: x   rows×cols, ldx ≥ rows
//
// Grid: one invocation per element, rows rounded up to LOCAL_SIZE, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixInOut x;
	// The shape of X is rows×cols. The leading dimension ldx is at least rows.
	uint rows, cols, ldx;
} p;

void main() {
	uint tiles = (p.rows + LOCAL_SIZE - 1) / LOCAL_SIZE, group = workgroup();
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, j = group / tiles;
	if (j >= p.cols || i >= p.rows) return;
	MatrixInOut x = MatrixInOut(element(uint64_t(p.x), i, j, p.ldx));
	x.at[0] = conjugate(x.at[0]);
}
