// sb2st_tridiagonal copies the tridiagonal matrix T out of a compact band. The first two rows of
// the band's storage are the diagonal and the subdiagonal of T.
//
// complex
//
// in:  band  ld rows per column; column c holds rows c, c+1, … of the matrix
// out: d, e  n diagonal and n−1 off-diagonal elements
//
// The outputs must not overlap the band. Values are copied unchanged. For complex numbers the
// imaginary parts of d are 0, and the last element of e may have one.
//
// Grid: one invocation per column, in x and y.
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

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) readonly buffer Band { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) writeonly buffer Diagonal { scalar_t at[]; };

layout(push_constant, scalar) uniform Push {
	Band band;
	Diagonal d, e;
	// n is the order of T, at least 1. ld is the number of stored rows of a column, at least 2
	// unless n = 1.
	uint n, ld;
} p;

void main() {
	uint c = workgroup() * LOCAL_SIZE + gl_LocalInvocationID.x;
	if (c >= p.n) return;
	p.d.at[c] = scalar_t(real_if(true, p.band.at[c * p.ld]));
	if (c + 1 < p.n) p.e.at[c] = scalar_t(p.band.at[c * p.ld + 1]);
}
