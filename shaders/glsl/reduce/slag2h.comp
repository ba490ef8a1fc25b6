// slag2h rounds numbers of single precision to half precision: y ← x.
//
// in:  x  n numbers
// out: y  n numbers. It must not overlap x
//
// The result is the nearest half-precision number, ties to even, and infinity for numbers from
// 65520 on. The caller has scaled the matrix, so that no number is so large.
//
// Grid: one invocation per number, n rounded up to LOCAL_SIZE, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_GOOGLE_include_directive : require
#include "half.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Singles { float at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) writeonly buffer Halves { float16_t at[]; };

layout(push_constant, scalar) uniform Push {
	Singles x;
	Halves y;
	// n is the number of elements to convert. It may be larger than 2^32.
	uint64_t n;
} p;

void main() {
	uint64_t group = uint64_t(gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
	uint64_t first = group * LOCAL_SIZE;
	if (first >= p.n || p.n - first <= gl_LocalInvocationIndex) return;
	Singles x = Singles(uint64_t(p.x) + 4 * first);
	Halves y = Halves(uint64_t(p.y) + 2 * first);
	y.at[gl_LocalInvocationIndex] = float16_t(nearest_half(x.at[gl_LocalInvocationIndex]));
}
