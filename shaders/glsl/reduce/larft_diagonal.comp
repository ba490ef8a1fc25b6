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
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn panels;
	MatrixOut t;
	uint n, b;
} p;

void main() {
	uint at = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (at >= p.n * p.n) return;
	uint i = at % p.n, l = at / p.n, panel = l / p.b;
	p.t.at[at] = i / p.b == panel ? p.panels.at[(panel * p.b + l % p.b) * p.b + i % p.b] : real_t(0);
}
