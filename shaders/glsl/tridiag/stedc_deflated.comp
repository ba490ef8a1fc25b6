// stedc_deflated copies the deflated columns [k, n) of each merge from W to Q. merge.glsl defines
// where these columns lie in W and Q.
//
// in:  merges  the merges (merge.glsl)
//      w       the deflated columns of each merge, eigenvectors already
// out: q       the same columns; it must not overlap w
//
// Values are copied unchanged.
//
// Grid: one invocation per row. x covers the rows of the largest merge, z the merges. The
// workgroups in y take the deflated columns in turn, so any number of workgroups in y is correct.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals w;
	RealsOut q;
	// The dispatch copies the deflated columns number first … first + columns − 1 of each merge, if
	// there are so many.
	uint first, columns;
} p;

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint i = gl_GlobalInvocationID.x;
	if (i >= m.n) return;
	uint end = min(m.n - m.k, p.first + p.columns);
	for (uint c = p.first + gl_WorkGroupID.y; c < end; c += gl_NumWorkGroups.y)
		RealsOut(element(uint64_t(p.q), at_q(m) + i, m.k + c, m.n)).at[0] = Reals(element(uint64_t(p.w), at_deflated(m) + i, c, m.n)).at[0];
}
