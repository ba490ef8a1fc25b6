// laed0_batch prepares many tridiagonal matrices for divide and conquer (LAPACK dstedc, dlaed0).
// One workgroup processes one matrix.
//
// Each matrix T is scaled by a power of two to elements below 1 in magnitude. Then T is torn into
// leaves, blocks of at most LEAF rows: T is halved, and the halves are halved, until they have at
// most LEAF rows. To cut T between rows i and i + 1, |e(i)| is subtracted from d(i) and d(i + 1).
// The host's Tree.Halve (package dc in stages/tridiag) makes the same leaves. If LEAF is at least
// the order, T is scaled and not torn.
//
// in:      matrices   the matrices [first, first + count)
//          d, e       from element matrix.at on: T
// in, out: states     status: GOOD becomes DONE, because divide and conquer does not iterate. If T
//                     has a NaN or an infinity, or the status is not GOOD, it becomes NONFINITE.
//                     exponent: increased by the exponent of the power of two
// out:     torn_d     from element matrix.at on: the diagonal of the leaves
//          torn_e     the scaled off-diagonal, with the elements between the leaves
//          order      for each row its number in its leaf, from 0 on; not written if order is null
//
// A matrix whose status is NONFINITE becomes zero, so that divide and conquer is quick. An
// off-diagonal element becomes zero if it is negligible in a matrix whose norm is about 1. No two
// buffers may overlap.
//
// Grid: in x and y, one workgroup for each matrix.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "scale.glsl"
#include "scaling.glsl"
#include "problem.glsl"
#include "tridiag/range.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint LEAF = 32;
#include "reduce.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer IntsOut { int at[]; };

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixIn d, e;
	MatrixOut torn_d, torn_e;
	IntsOut order;
	uint first, count;
} p;

// leaf_of returns the first row and the number of rows of the leaf that has row i of a matrix of
// order n.
uvec2 leaf_of(uint i, uint n) {
	uint lo = 0;
	while (n > LEAF) {
		uint half_ = n / 2;
		if (i < lo + half_) n = half_;
		else lo += half_, n -= half_;
	}
	return uvec2(lo, n);
}

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup(), t = gl_LocalInvocationIndex;
	BatchMatrix m = p.matrices.at[index];
	BatchState state = p.states.at[index];
	real_t most = 0.0, bad = state.status == GOOD ? real_t(0) : real_t(1);
	for (uint i = t; i < m.n; i += LOCAL_SIZE) {
		real_t d = p.d.at[m.at + i], e = i + 1 < m.n ? p.e.at[m.at + i] : 0.0;
		if (!finite(d) || !finite(e)) bad = 1.0;
		most = max(most, max(magnitude(d), magnitude(e)));
	}
	bad = group_max(bad);
	most = group_max(bad > 0.0 ? 0.0 : most);
	bool good = bad == 0.0;
	// exponent_of is limited to normal powers of two, so a T of subnormal elements needs two steps.
	int first = most > 0.0 ? exponent_for(most) : 0;
	scale_t scale = scale_for(first);
	int second = most > 0.0 ? remains(most, scale, first) : 0;
	real_t scale_again = power_of_two(-second), least = power_of_two(TINY);
	for (uint i = t; i < m.n; i += LOCAL_SIZE) {
		real_t d = 0.0, above = 0.0, below = 0.0; // above and below: the off-diagonal elements of row i
		if (good) {
			d = scaled(p.d.at[m.at + i], scale) * scale_again;
			if (i > 0) above = scaled(p.e.at[m.at + i - 1], scale) * scale_again;
			if (i + 1 < m.n) below = scaled(p.e.at[m.at + i], scale) * scale_again;
		}
		if (abs(above) < least) above = 0.0;
		if (abs(below) < least) below = 0.0;
		uvec2 leaf = leaf_of(i, m.n);
		if (i == leaf.x) d -= abs(above);
		if (i + 1 == leaf.x + leaf.y) d -= abs(below);
		p.torn_d.at[m.at + i] = d;
		p.torn_e.at[m.at + i] = below;
		if (uint64_t(p.order) != 0ul) p.order.at[m.at + i] = int(i - leaf.x);
	}
	if (t > 0) return;
	if (good) p.states.at[index].status = DONE, p.states.at[index].exponent = state.exponent + first + second;
	else p.states.at[index].status = NONFINITE;
}
