// stedc_order finds the permutation of each merged block that makes its eigenvalues ascend:
// order[i] is the column of the block with the i-th smallest eigenvalue. Columns with equal
// eigenvalues keep their order.
//
// in:  merges  the merges (merge.glsl)
//      d       the eigenvalues
// out: order   columns, counted from the block's first column
//      info    for all columns i < k whose eigenvalue is NaN, the minimum of the previous info and
//              base + lo + i. base is the number of the level of merges times the number of all
//              rows, so that the sum names one root of all levels. A NaN is a root that was not
//              found; order is then undefined. A merge uses element lo·apart of info: with
//              apart = 0 all merges share one element
//
// Each invocation counts the eigenvalues that come before its own eigenvalue. order must not
// overlap the inputs.
//
// Grid: one invocation per column, from column number `first` of each merge on. x covers these
// columns of the largest merge, z the merges.
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

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer IntsOut { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Word { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals d;
	IntsOut order;
	Word info;
	uint base, apart;
	// `first` is the number of the first column of each merge for which this dispatch finds the
	// position in the order.
	uint first;
} p;

// `room` has LOCAL_SIZE eigenvalues of the block. Every invocation of the workgroup compares its
// own eigenvalue with all of them.
shared real_t room[LOCAL_SIZE];

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z];
	uint t = gl_LocalInvocationIndex, i = p.first + gl_GlobalInvocationID.x;
	if (p.first + gl_WorkGroupID.x * LOCAL_SIZE >= m.n) return;
	real_t x = i < m.n ? p.d.at[m.lo + i] : 0.0;
	uint rank = 0;
	for (uint from = 0; from < m.n; from += LOCAL_SIZE) {
		if (from + t < m.n) room[t] = p.d.at[m.lo + from + t];
		barrier();
		uint count = min(LOCAL_SIZE, m.n - from);
		for (uint j = 0; j < count; j++) {
			real_t y = room[j];
			rank += uint(y < x || y == x && from + j < i);
		}
		barrier();
	}
	if (i >= m.n) return;
	p.order.at[m.lo + rank] = int(i);
	if (i < m.k && (SPLIT(x).y >> EXPONENT_SHIFT & EXPONENT_FIELD) == EXPONENT_FIELD) atomicMin(p.info.at[m.lo * p.apart], p.base + m.lo + i);
}
