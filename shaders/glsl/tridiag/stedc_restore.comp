// stedc_restore puts a strip of W, as stedc_gather made it, in the place of Q: rows
// [first, first + strip) of the only merge, all of the upper or all of the lower half,
// and columns of that half that are not deflated. Column c of W becomes column c of
// the upper block, or column c − lower of the lower one.
//
// in:  merges, w       out: q; it must not overlap w
//
// One row an invocation. Grid: x covers the strip, y the columns, over which it strides.
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
	Merges merges;
	Reals w;
	RealsOut q;
	uint first, strip;
} p;

void main() {
	Merge m = p.merges.at[0];
	uint r = gl_GlobalInvocationID.x, i = p.first + r;
	if (r >= p.strip) return;
	bool upper = i < m.n1;
	uint ld = upper ? m.n1 : m.n - m.n1, first = upper ? 0 : m.lower, end = upper ? m.upper : m.k;
	uint64_t place = upper ? at_q(m) + i : at_lower_q(m) + (i - m.n1);
	for (uint c = first + gl_WorkGroupID.y; c < end; c += gl_NumWorkGroups.y)
		RealsOut(element(uint64_t(p.q), place, c - first, ld)).at[0] = Reals(element(uint64_t(p.w), r, c, p.strip)).at[0];
}
