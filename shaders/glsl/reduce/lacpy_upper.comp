// lacpy_upper moves the blocks above the block diagonal of a matrix to other memory. The blocks
// have b rows and b columns.
//
// complex
//
//	Z(i, j) ← X(i, j),  X(i, j) ← 0      where ⌊i/b⌋ < ⌊(first + j)/b⌋
//
// in, out: x   rows×cols; elements that the formula does not name are not touched
// out:     z   the moved elements, at the same indices. If z is null, X is only set to zero
//
// Column j of X belongs to panel ⌊(first + j)/b⌋, and row 0 of X is the top row of panel 0. The
// kernel leaves the unit trapezoids of these panels in X. Values are copied unchanged. z must not
// overlap x.
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
	MatrixOut z;
	// The shape of X is rows×cols. The leading dimensions ldx and ldz are at least rows. Column j
	// of X is column first + j among the columns of all panels. b is the number of columns of a
	// panel, at least 1.
	uint rows, cols, ldx, ldz, first, b;
} p;

void main() {
	uint tiles = (p.rows + LOCAL_SIZE - 1) / LOCAL_SIZE, group = workgroup();
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, j = group / tiles;
	if (j >= p.cols || i >= p.rows || i / p.b >= (p.first + j) / p.b) return;
	MatrixInOut x = MatrixInOut(element(uint64_t(p.x), i, j, p.ldx));
	if (uint64_t(p.z) != 0ul) MatrixOut(element(uint64_t(p.z), i, j, p.ldz)).at[0] = x.at[0];
	x.at[0] = scalar_t(0);
}
