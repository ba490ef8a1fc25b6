// org2l_batch forms the orthogonal or unitary matrices Q = H(0)·H(1)⋯ from the reflectors H(k) of
// sytd2_batch (LAPACK dorg2l, zung2l). One workgroup computes LOCAL_SIZE/LANES·TOGETHER columns of
// one matrix Q, in registers.
//
// complex
//
// in:      matrices  the matrices from number `first` on, of order 3 … ORDER
//          tau       the factors τ of a matrix, from element matrix.at on. For complex numbers,
//                    element n − 2 is the phase by which the last column of Q is multiplied
//          a         the reflectors
// out:     z         Q, at the same place as the matrix in a
//
// LANES neighbouring invocations of a subgroup are a team, which computes TOGETHER columns. Each of
// them has every LANES-th element of these columns. They add up dot products by shuffles. The bits
// depend on n and LANES.
//
// Grid: in x and y, `count` workgroups.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "numerics.glsl"
#include "index.glsl"
#include "problem.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of LANES.
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
layout(constant_id = 1) const uint ORDER = 256;
// LANES is a power of two, at most the size of a subgroup.
layout(constant_id = 2) const uint LANES = 32;
layout(constant_id = 3) const uint TOGETHER = 1;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	MatrixIn tau, a;
	MatrixOut z;
	// first        number of the first matrix
	// parts        number of workgroups for a matrix, enough for all columns of the largest one
	// from, count  the dispatch has the workgroups [from, from + count) of those of all matrices from
	//              `first` on
	uint first, parts, from, count;
} p;

// HELD is the number of elements of a column that an invocation has.
const uint HELD = (ORDER + LANES - 1) / LANES;

#include "cluster_sum.glsl"

void main() {
	if (workgroup() >= p.count) return;
	uint part = p.from + workgroup(), t = gl_LocalInvocationIndex, team = t / LANES, lane = t % LANES;
	BatchMatrix m = p.matrices.at[p.first + part / p.parts];
	const uint COLUMNS = LOCAL_SIZE / LANES * TOGETHER;
	uint n = m.n, begin = part % p.parts * COLUMNS, mine = begin + team * TOGETHER;
	if (begin >= n) return;
	MatrixIn a = MatrixIn(element(uint64_t(p.a), long_(m.a), 0, 0));
#ifdef COMPLEX
	scalar_t phase = p.tau.at[m.at + n - 2];
#define diagonal(i) ((i) + 1 == n ? phase : one())
#else
#define diagonal(i) one()
#endif
	scalar_t x[TOGETHER * HELD];
	[[unroll]] for (uint h = 0; h < HELD; h++) {
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) x[i * HELD + h] = h * LANES + lane == mine + i ? diagonal(mine + i) : scalar_t(0);
	}
	// The last reflector acts first. Reflectors from the last column of the workgroup on do not
	// change its columns.
	for (uint left = min(n - 2, begin + COLUMNS - 1); left > 0; left--) {
		uint k = left - 1;
		scalar_t v[HELD], part[TOGETHER], tau = p.tau.at[m.at + k];
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) part[i] = scalar_t(0);
		[[unroll]] for (uint h = 0; h < HELD; h++) {
			v[h] = scalar_t(0);
			if ((h + 1) * LANES > left && h * LANES < n) {
				uint row = h * LANES + lane;
				if (row > k && row < n) v[h] = a.at[k * n + row];
			}
		}
		[[unroll]] for (uint h = 0; h < HELD; h++) {
			if ((h + 1) * LANES > left && h * LANES < n) {
				[[unroll]] for (uint i = 0; i < TOGETHER; i++) part[i] = mad(x[i * HELD + h], conjugate(v[h]), part[i]);
			}
		}
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) part[i] = mul(cluster_sum(part[i]), tau);
		[[unroll]] for (uint h = 0; h < HELD; h++) {
			if ((h + 1) * LANES > left && h * LANES < n) {
				[[unroll]] for (uint i = 0; i < TOGETHER; i++) x[i * HELD + h] = mad(-part[i], v[h], x[i * HELD + h]);
			}
		}
	}
	MatrixOut z = MatrixOut(element(uint64_t(p.z), long_(m.a), 0, 0));
	[[unroll]] for (uint h = 0; h < HELD; h++) {
		uint row = h * LANES + lane;
		[[unroll]] for (uint i = 0; i < TOGETHER; i++) {
			if (row < n && mine + i < n) z.at[(mine + i) * n + row] = x[i * HELD + h];
		}
	}
}
