// stedc_weights recomputes the weights of secular equations from their computed roots (LAPACK
// dlaed3).
//
// Löwner's formula is ẑ_i²·rho = (λ_i − d_i) · Π_{j ≠ i} (λ_j − d_i)/(d_j − d_i), where d_i are the
// poles and λ_i the computed roots. With the weights ẑ_i, the computed roots are exact. So the
// eigenvectors that are computed from ẑ are orthogonal (Gu and Eisenstat, SIAM J. Matrix Anal.
// Appl. 15, 1994).
//
// in:  merges  the merges (merge.glsl)
//      d, z    the poles and the weights
//      mu      the offset of each root from its nearest pole (secular.glsl)
// out: zhat    ẑ_i·√rho, with the signs of z
//
// The invocations of a workgroup share the factors of the product. Factors with j < i are at most
// 1, and factors with j > i are at least 1. The product of each of these two groups is moderate, so
// no partial product overflows. The order of the product depends on LOCAL_SIZE alone. zhat must not
// overlap the inputs. The inputs must be finite: the host checks this.
//
// Grid: one workgroup per weight, from weight number `first` of each merge on, in x and y. z covers
// the merges.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "secular.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: a multiple of four.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals d, z, mu;
	RealsOut zhat;
	uint first;
} p;

shared acc_t partial[LOCAL_SIZE];

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint i = p.first + workgroup(), t = gl_LocalInvocationIndex;
	if (i >= m.k) return;
	Reals d = Reals(uint64_t(p.d) + REAL_BYTES * m.lo);
	Reals mu = Reals(uint64_t(p.mu) + REAL_BYTES * m.lo);
	real_t di = d.at[i], w = 1.0;
	for (uint j = t; j < m.k; j += LOCAL_SIZE) {
		if (j != i) w *= delta(d, mu, di, j) / (di - d.at[j]);
	}
	partial[t] = w;
	barrier();
	uint quarter = LOCAL_SIZE / 4;
	if (t < quarter) partial[t] *= partial[t + quarter] * (partial[t + 2 * quarter] * partial[t + 3 * quarter]);
	barrier();
	if (t > 0) return;
	w = -delta(d, mu, di, i);
	for (uint s = 0; s < quarter; s++) w *= partial[s];
	real_t root = sqrt(w);
	p.zhat.at[m.lo + i] = p.z.at[m.lo + i] < 0.0 ? -root : root;
}
