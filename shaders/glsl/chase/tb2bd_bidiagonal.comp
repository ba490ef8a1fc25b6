// tb2bd_bidiagonal copies the two diagonals of an upper bidiagonal matrix out of its general
// compact band (see tb2bd), with a stride.
//
// complex
//
// in:  band  3·width rows per column; element (i, j) lies at i + j·(3·width−1) + 2·width−1
// out: d     the n elements of the diagonal, `stride` elements apart
//      e     the n−1 elements of the superdiagonal, `stride` elements apart
//
// The host can interleave d and e: with stride 2, and with e one element after d, the result is the
// off-diagonal of the Golub-Kahan form. This form is a symmetric tridiagonal matrix of order 2n
// with a zero diagonal. Its eigenvalues are the singular values and their negatives. Values are
// copied unchanged, in the type of the band. For complex numbers only the last elements of d and e
// have an imaginary part. d and e must not overlap the band, or each other's elements.
//
// Grid: one invocation per column, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "storage.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn band;
	MatrixOut d, e;
	// n is the order of the matrix, at least 1. width is the number of superdiagonals of the band,
	// at least 1. `stride` is the distance in elements from one element of d or e to the next, at
	// least 1.
	uint n, width, stride;
} p;

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.n) return;
	MatrixIn column = MatrixIn(element(uint64_t(p.band), 2 * p.width - 1, i, 3 * p.width));
	p.d.at[i * p.stride] = column.at[0];
	if (i == 0) return;
	MatrixIn above = MatrixIn(element(uint64_t(p.band), 2 * p.width - 2, i, 3 * p.width));
	p.e.at[(i - 1) * p.stride] = above.at[0];
}
