// stedc_gather rotates and permutes the columns of Q into W (LAPACK dlaed2).
//
// A chain is a sequence of steps [first, end) of one merge. A column x is passed from step to step:
//
//	x = Q[:, src[first]];  each step t except the last:
//	  y = Q[:, src[t+1]];  W[:, dst[t]] = cos[t]·x + sin[t]·y;  x = cos[t]·y − sin[t]·x
//	the last step:  W[:, dst[t]] = x
//
// A column that comes from one half of Q is zero in the rows of the other half. Q does not store
// these zeros. W stores them only in its deflated columns, which are the columns from k on.
//
// in:  chains               the merge of each chain, and its first and end; first may equal end
//      merges
//      src, dst, cos, sin   the elements of a merge begin at lo
//      q
// out: w                    W of each merge, where merge.glsl says. If strip ≠ 0, there is only one
//                           merge, and w gets only the rows [first, first + strip) of its W:
//                           column c begins at element c·strip
//
// w must not overlap q. A NaN in a row spreads to the same row of the later columns of its chain.
//
// Grid: one invocation per row. x covers the rows of the largest merge, or of the strip. y (folded
// into z) covers the chains.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "chain.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Chains chains;
	Ints src, dst;
	Reals cos_, sin_;
	Reals q;
	RealsOut w;
	// `count` is the number of chains. If `strip` is not 0, only the rows [first, first + strip) of
	// the rotated vectors are computed; otherwise all rows, and `first` is 0.
	uint count, first, strip;
} p;

// m and i are the merge and the row of this invocation. `upper` tells whether the row is in the
// upper half.
Merge m;
uint i;
bool upper;

// load returns this row's element of the column that step t reads. The columns are the vectors of
// the two blocks of the merge.
real_t load(uint t) {
	uint c = p.src.at[m.lo + t];
	if ((c < m.n1) != upper) return 0.0;
	uint64_t place = upper ? at_q(m) + i + uint64_t(c) * m.n1 : at_lower_q(m) + (i - m.n1) + uint64_t(c - m.n1) * (m.n - m.n1);
	return Reals(element(uint64_t(p.q), place, 0, 0)).at[0];
}

// store writes this row's element of the rotated vector that step t makes. If the vector is zero in
// the half of this row, the memory has no place for the element, and store writes nothing.
void store(uint t, real_t x) {
	uint c = p.dst.at[m.lo + t];
	if (c < m.k && (upper ? c >= m.upper : c < m.lower)) return;
	uint64_t place;
	if (p.strip != 0) place = (i - p.first) + uint64_t(c) * p.strip;
	else if (c >= m.k) place = at_deflated(m) + i + uint64_t(c - m.k) * m.n;
	else if (upper) place = at_upper_w(m) + i + uint64_t(c) * m.n1;
	else place = at_lower_w(m) + (i - m.n1) + uint64_t(c - m.lower) * (m.n - m.n1);
	RealsOut(element(uint64_t(p.w), place, 0, 0)).at[0] = x;
}

void main() {
	uint c = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
	if (c >= p.count) return;
	Chain chain = p.chains.at[c];
	if (chain.first == chain.end) return;
	m = p.merges.at[chain.merge];
	i = p.first + gl_GlobalInvocationID.x;
	if (i >= (p.strip != 0 ? p.first + p.strip : m.n)) return;
	upper = i < m.n1;
	real_t x = load(chain.first);
	for (uint t = chain.first; t + 1 < chain.end; t++) {
		real_t y = load(t + 1), cs = p.cos_.at[m.lo + t], sn = p.sin_.at[m.lo + t];
		store(t, cs * x + sn * y);
		x = cs * y - sn * x;
	}
	store(chain.end - 1, x);
}
