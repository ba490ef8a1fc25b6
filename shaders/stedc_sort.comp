// stedc_sort writes the wanted columns of Q, in ascending order of their
// eigenvalues, as rows: x[j + r·ldx] = Q[r + order[j]·ldq], 0 ≤ j < m, 0 ≤ r < n.
// Q is block diagonal: elements outside of column c's block [from[c], to[c]) are zero
// whatever is stored there.
//
// A workgroup moves a TILE×TILE tile through shared memory, so that reads and
// writes are both contiguous. Grid: x tiles of j, y tiles of r. No aliasing.
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
layout(constant_id = 1) const uint TILE = 32;

layout(push_constant, scalar) uniform Push {
	Reals q;
	Ints order, from, to;
	RealsOut x;
	uint n, m, ldq, ldx;
} p;

shared real_t tile[TILE * (TILE + 1)];

void main() {
	uint j0 = gl_WorkGroupID.x * TILE, r0 = gl_WorkGroupID.y * TILE;
	for (uint e = gl_LocalInvocationID.x; e < TILE * TILE; e += LOCAL_SIZE) {
		uint r = r0 + e % TILE, j = j0 + e / TILE;
		real_t v = real_t(0);
		if (r < p.n && j < p.m) {
			int c = p.order.at[j];
			if (int(r) >= p.from.at[c] && int(r) < p.to.at[c]) v = Reals(element(uint64_t(p.q), r, c, p.ldq)).at[0];
		}
		tile[(e / TILE) * (TILE + 1) + e % TILE] = v;
	}
	barrier();
	for (uint e = gl_LocalInvocationID.x; e < TILE * TILE; e += LOCAL_SIZE) {
		uint j = j0 + e % TILE, r = r0 + e / TILE;
		if (r < p.n && j < p.m) RealsOut(element(uint64_t(p.x), j, r, p.ldx)).at[0] = tile[(e % TILE) * (TILE + 1) + e / TILE];
	}
}
