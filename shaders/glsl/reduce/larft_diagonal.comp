// larft_diagonal places the triangular factors of neighbouring panels on the diagonal of one larger
// factor.
//
// complex
//
//	T[p·b + i, p·b + l] ← panels[p][i, l]     0 ≤ i, l < b, p·b < n; all other elements ← 0
//
// in:  panels    factors of order b, leading dimension b, one after another
// out: t         n×n, leading dimension n; it must not overlap panels
//
// Values are copied unchanged.
//
// Grid: ⌈n² / LOCAL_SIZE⌉ workgroups, in x and y.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn panels;
	MatrixOut t;
	// n is the order of T, n² < 2³². b is the order of a panel's factor, at least 1. The last
	// panel's factor is read only in the part that lies inside T.
	uint n, b;
} p;

void main() {
	uint at = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (at >= p.n * p.n) return;
	uint i = at % p.n, l = at / p.n, panel = l / p.b;
	p.t.at[at] = i / p.b == panel ? p.panels.at[(panel * p.b + l % p.b) * p.b + i % p.b] : scalar_t(0);
}
