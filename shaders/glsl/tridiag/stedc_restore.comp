// float64 only
//
// stedc_restore copies a strip of W, which stedc_gather has made, back to Q. It is for a level that
// has only one merge. The strip is the rows [first, first + strip) of W. All rows of the strip are
// in the upper half of the merge, or all are in the lower half. Only the columns of this half that
// are not deflated are copied. Column c of W becomes column c of the upper block of Q, or column c
// − lower of the lower block.
//
// in:  merges  the merge (merge.glsl)
//      w       the strip of W, the rotated vectors of the two blocks
// out: q       the two blocks of Q, their vectors; it must not overlap w
//
// Values are copied unchanged.
//
// Grid: one invocation per row. x covers the strip. The workgroups in y take the columns in turn,
// so any number of workgroups in y is correct.
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
