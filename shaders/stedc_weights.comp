// stedc_weights recomputes the weights of secular equations (LAPACK dlaed3).
//
// ẑ_i² · rho = (λ_i − d_i) · Π_{j ≠ i} (λ_j − d_i)/(d_j − d_i), by Löwner's formula:
// the weights for which the computed roots are exact, so that the vectors made
// from them are orthogonal (Gu and Eisenstat, SIAM J. Matrix Anal. Appl. 15, 1994).
//
// in:  merges, d, z, origin, mu       out: zhat
//
// One weight an invocation. Grid: x covers the largest k, y the merges.
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
	Reals d, z;
	Ints origin;
	Reals mu;
	RealsOut zhat;
} p;

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.y];
	uint i = gl_GlobalInvocationID.x;
	if (i >= m.k) return;
	Reals d = Reals(uint64_t(p.d) + REAL_BYTES * m.lo);
	Ints origin = Ints(uint64_t(p.origin) + 4ul * m.lo);
	Reals mu = Reals(uint64_t(p.mu) + REAL_BYTES * m.lo);
	double di = d.at[i];
	double w = -((di - d.at[origin.at[i]]) - mu.at[i]);
	for (uint j = 0; j < m.k; j++) {
		if (j != i) w *= ((di - d.at[origin.at[j]]) - mu.at[j]) / (di - d.at[j]);
	}
	double root = sqrt(w);
	p.zhat.at[m.lo + i] = p.z.at[m.lo + i] < 0.0lf ? -root : root;
}
