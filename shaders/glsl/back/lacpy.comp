// lacpy copies a matrix to other memory: Y ← X (LAPACK dlacpy).
//
// complex
//
// in:  x   rows×cols, ldx ≥ rows
// out: y   rows×cols, ldy ≥ rows. It must not overlap x
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
	MatrixIn x;
	MatrixOut y;
	// The shape of both matrices is rows×cols. Their leading dimensions ldx and ldy are at least
	// rows.
	uint rows, cols, ldx, ldy;
} p;

void main() {
	uint tiles = (p.rows + LOCAL_SIZE - 1) / LOCAL_SIZE, group = workgroup();
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, j = group / tiles;
	if (j >= p.cols || i >= p.rows) return;
	MatrixOut(element(uint64_t(p.y), i, j, p.ldy)).at[0] = MatrixIn(element(uint64_t(p.x), i, j, p.ldx)).at[0];
}
