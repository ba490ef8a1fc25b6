// stedc_gather rotates and permutes the columns of Q into W (LAPACK dlaed2).
//
// Chain c is the steps [first, end) of one merge. It carries a column x along:
//
//	x = Q[:, src[first]];  each step t but the last:
//	  y = Q[:, src[t+1]];  W[:, dst[t]] = cos[t]·x + sin[t]·y;  x = cos[t]·y − sin[t]·x
//	the last step:  W[:, dst[t]] = x
//
// A column that comes from one half of Q is zero in the rows of the other,
// whatever is stored there. src, dst, cos, sin of a merge start at element lo.
//
// in:  chains (merge, first, end), merges, src, dst, cos, sin, q      out: w
//
// One row an invocation. Grid: x covers the rows of the largest merge, y (folded into z)
// the chains.
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

struct Chain { uint merge, first, end; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Chains { Chain at[]; };

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Chains chains;
	Ints src, dst;
	Reals cos_, sin_;
	Reals q;
	RealsOut w;
	uint ld, count;
} p;

Merge m;
uint i; // row, counted from lo

double load(uint t) {
	uint c = p.src.at[m.lo + t];
	if ((c < m.n1) != (i < m.n1)) return 0.0lf;
	return Reals(element(uint64_t(p.q), m.lo + i, m.lo + c, p.ld)).at[0];
}

void store(uint t, double x) {
	RealsOut(element(uint64_t(p.w), m.lo + i, m.lo + p.dst.at[m.lo + t], p.ld)).at[0] = x;
}

void main() {
	uint c = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
	if (c >= p.count) return;
	Chain chain = p.chains.at[c];
	m = p.merges.at[chain.merge];
	i = gl_GlobalInvocationID.x;
	if (i >= m.n) return;
	double x = load(chain.first);
	for (uint t = chain.first; t + 1 < chain.end; t++) {
		double y = load(t + 1), cs = p.cos_.at[m.lo + t], sn = p.sin_.at[m.lo + t];
		store(t, cs * x + sn * y);
		x = cs * y - sn * x;
	}
	store(chain.end - 1, x);
}
