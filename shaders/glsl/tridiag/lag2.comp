// lag2 converts numbers between half, single and double precision: y ← x (LAPACK slag2d, dlag2s).
//
// float64 only
// variant: slag2d FROM=float FROM_BYTES=4 TO=double TO_BYTES=8
// variant: hlag2d FROM=float16_t FROM_BYTES=2 TO=double TO_BYTES=8
// variant: dlag2s FROM=double FROM_BYTES=8 TO=float TO_BYTES=4
//
// in:  x  n numbers
// out: y  n numbers. It must not overlap x
//
// slag2d and hlag2d are exact. dlag2s rounds, and a number outside the range of single precision
// becomes infinite or zero. This does not happen, because the caller converts only entries of
// orthogonal matrices and of scaled matrices.
//
// Grid: one invocation per number, n rounded up to LOCAL_SIZE, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#if FROM_BYTES == 2
#extension GL_EXT_shader_16bit_storage : require
#endif
#include "numerics_f64.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = FROM_BYTES) readonly buffer Source { FROM at[]; };
layout(buffer_reference, scalar, buffer_reference_align = TO_BYTES) writeonly buffer Target { TO at[]; };

layout(push_constant, scalar) uniform Push {
	Source x;
	Target y;
	// n may be larger than 2^32.
	uint64_t n;
} p;

void main() {
	uint64_t group = uint64_t(gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
	uint64_t first = group * LOCAL_SIZE;
	if (first >= p.n || p.n - first <= gl_LocalInvocationIndex) return;
	Source x = Source(uint64_t(p.x) + FROM_BYTES * first);
	Target y = Target(uint64_t(p.y) + TO_BYTES * first);
	y.at[gl_LocalInvocationIndex] = TO(x.at[gl_LocalInvocationIndex]);
}
