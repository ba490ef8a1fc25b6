// stedc_rows computes the first and the last row of merged blocks of Q: the first and the last row
// of W times S (LAPACK dlaed3, dlaeda). The next merge needs only these rows of Q to find its
// eigenvalues.
//
// in:  merges           the merges (merge.glsl)
//      d, zhat          the poles, and the weights from stedc_weights
//      mu               the offset of each root from its nearest pole (secular.glsl)
//      w_first, w_last  the first and the last row of W, one element for each pole
// out: first, last      the first and the last row of Q, one element for each column before k
//
// One workgroup computes one column of S, and does not store it. The outputs must not overlap the
// inputs. The order of the sums depends on LOCAL_SIZE alone. The inputs must be finite: the host
// checks this.
//
// Grid: one workgroup per column, from column number `begin` of each merge on, in x and y. z covers
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

#include "four_sums.glsl"

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals d, mu, zhat, w_first, w_last;
	RealsOut first, last;
	uint begin;
} p;

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint j = p.begin + workgroup();
	if (j >= m.k) return;
	real_t mu = p.mu.at[m.lo + j], pole = p.d.at[m.lo + root_pole(mu, j)];
	real_t norm = 0.0, first = 0.0, last = 0.0, none = 0.0;
	for (uint i = m.lo + gl_LocalInvocationIndex; i < m.lo + m.k; i += LOCAL_SIZE) {
		real_t x = p.zhat.at[i] / ((p.d.at[i] - pole) - mu);
		norm += x * x;
		first += x * p.w_first.at[i];
		last += x * p.w_last.at[i];
	}
	four_sums(norm, first, last, none);
	if (gl_LocalInvocationIndex > 0) return;
	real_t scale = 1.0 / sqrt(norm);
	p.first.at[m.lo + j] = first * scale;
	p.last.at[m.lo + j] = last * scale;
}
