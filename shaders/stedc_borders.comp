// stedc_borders reads the two rows beside each cut of Q: z[c] = Q[row[c], c]
// where row[c] ≥ 0; other elements of z are left alone.
//
// One column an invocation.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "merge.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Reals q;
	Ints row;
	RealsOut z;
	uint n, ld;
} p;

void main() {
	uint c = gl_GlobalInvocationID.x;
	if (c >= p.n || p.row.at[c] < 0) return;
	p.z.at[c] = Reals(element(uint64_t(p.q), p.row.at[c], c, p.ld)).at[0];
}
