// float64 only
//
// lagtm multiplies a symmetric tridiagonal matrix T by the columns of Z: P = T·Z (LAPACK dlagtm).
//
// in:  d, e  T: n diagonal and n−1 off-diagonal elements
//      z     n×cols
// out: p     n×cols; it must not overlap the inputs
//
// Each element of P is a sum of at most three products. The product with the diagonal element is
// the first one. A NaN in Z makes up to three elements of its column of P NaN.
//
// Grid: one invocation per element, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn d, e, z;
	MatrixOut p;
	// n is the order of T, at least 1, and cols the number of columns of Z. The leading dimensions
	// ldz and ldp are at least n.
	uint n, cols, ldz, ldp;
} p;

void main() {
	uint tiles = (p.n + LOCAL_SIZE - 1) / LOCAL_SIZE;
	uint group = workgroup(), column = group / tiles;
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (column >= p.cols || i >= p.n) return;
	MatrixIn z = MatrixIn(element(uint64_t(p.z), 0, column, p.ldz));
	MatrixOut out_ = MatrixOut(element(uint64_t(p.p), 0, column, p.ldp));
	work_t sum = p.d.at[i] * z.at[i];
	if (i > 0) sum += p.e.at[i - 1] * z.at[i - 1];
	if (i + 1 < p.n) sum += p.e.at[i] * z.at[i + 1];
	out_.at[i] = real_t(sum);
}
