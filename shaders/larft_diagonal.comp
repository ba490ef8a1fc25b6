// larft_diagonal lays the factors of neighbouring panels along the diagonal of
// one larger factor.
//
//	T[p·b + i, p·b + l] ← panels[p][i, l]     0 ≤ i, l < b, p·b < n; zero elsewhere
//
// panels    b×b each, leading dimension b, one after another
// t         n×n, leading dimension n; n a multiple of b; not overlapping panels
//
// Grid: ceil(n² / LOCAL_SIZE) workgroups, folded.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#include "numerics_f64.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Reals { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer RealsOut { real_t at[]; };

layout(push_constant, scalar) uniform Push {
	Reals panels;
	RealsOut t;
	uint n, b;
} p;

void main() {
	uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (at >= p.n * p.n) return;
	uint i = at % p.n, l = at / p.n, panel = l / p.b;
	p.t.at[at] = i / p.b == panel ? p.panels.at[(panel * p.b + l % p.b) * p.b + i % p.b] : real_t(0);
}
