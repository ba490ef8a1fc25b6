// sy2sb_middle computes a b×b matrix for the band reduction:
//
//	N = −½·Tᵀ·(X·T + S1ᵀ·R1 + S2ᵀ·R2)
//
// For complex numbers the conjugate transposes Tᴴ, S1ᴴ and S2ᴴ take the places of the transposes.
//
// complex
//
// T is the triangular factor of a panel I − y·T·yᵀ. The sum in brackets is (yᵀ·P)·T, where P is the
// product of the trailing matrix and y. If P was formed, X is yᵀ·P, and S1, S2, R1 and R2 are
// empty. Otherwise X is yᵀ times the product of y and the trailing matrix without its delayed
// updates, and the other two terms stand for these updates.
//
// in:  x       b×b, leading dimension b
//      t       b×b, upper triangular with zeros stored below the diagonal
//      s1, r1  rows×b
//      s2, r2  rows×b
// out: n       b×b; it must not overlap another matrix
//
// b is COLUMNS. A workgroup computes one column of N. A NaN in a factor makes the elements of N
// that depend on it NaN.
//
// Grid: b workgroups.
#version 460
#extension GL_EXT_control_flow_attributes : require
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
// COLUMNS is the order b of the matrices, at least 1.
layout(constant_id = 1) const uint COLUMNS = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn x, t, s1, r1, s2, r2;
	MatrixOut n;
	// Each leading dimension is at least the number of rows of its matrix: ldt is that of T, and so
	// on. If rows = 0, s1, r1, s2 and r2 are not read.
	uint ldt, ldn, rows, lds1, ldr1, lds2, ldr2;
} p;

// LANES is the number of invocations that share the sum of an element.
const uint LANES = LOCAL_SIZE > COLUMNS ? LOCAL_SIZE / COLUMNS : 1;
// AT_ONCE is the number of loads of each factor that an invocation has in flight.
const uint AT_ONCE = 4;

// Element i·LANES + lane of `parts` is a part of the sum of element i, and `column` has a column of
// the matrix in brackets.
shared acc_t parts[LANES * COLUMNS], column[COLUMNS];

acc_t total(uint i) {
	acc_t sum = parts[i * LANES];
	for (uint lane = 1; lane < LANES; lane++) sum += parts[i * LANES + lane];
	return sum;
}

void main() {
	uint l = gl_WorkGroupID.x;
	for (uint at = gl_LocalInvocationIndex; at < LANES * COLUMNS; at += LOCAL_SIZE) {
		uint i = at / LANES, lane = at % LANES;
		acc_t sum = acc_t(0);
		for (uint k = lane; k < COLUMNS; k += LANES) {
			sum = mad(acc_t(p.x.at[i + k * COLUMNS]), acc_t(p.t.at[k + l * p.ldt]), sum);
		}
		[[dont_unroll]] for (uint first = lane; first < p.rows; first += AT_ONCE * LANES) {
			acc_t s1[AT_ONCE], r1[AT_ONCE], s2[AT_ONCE], r2[AT_ONCE];
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				uint k = first + u * LANES;
				bool in_ = k < p.rows;
				s1[u] = in_ ? acc_t(p.s1.at[k + i * p.lds1]) : acc_t(0);
				r1[u] = in_ ? acc_t(p.r1.at[k + l * p.ldr1]) : acc_t(0);
				s2[u] = in_ ? acc_t(p.s2.at[k + i * p.lds2]) : acc_t(0);
				r2[u] = in_ ? acc_t(p.r2.at[k + l * p.ldr2]) : acc_t(0);
			}
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) sum = mad_conj(s2[u], r2[u], mad_conj(s1[u], r1[u], sum));
		}
		parts[at] = sum;
	}
	barrier();
	for (uint i = gl_LocalInvocationIndex; i < COLUMNS; i += LOCAL_SIZE) column[i] = total(i);
	barrier();
	for (uint at = gl_LocalInvocationIndex; at < LANES * COLUMNS; at += LOCAL_SIZE) {
		uint i = at / LANES, lane = at % LANES;
		acc_t sum = acc_t(0);
		for (uint k = lane; k < COLUMNS; k += LANES) sum = mad_conj(acc_t(p.t.at[k + i * p.ldt]), column[k], sum);
		parts[at] = sum;
	}
	barrier();
	for (uint i = gl_LocalInvocationIndex; i < COLUMNS; i += LOCAL_SIZE) {
		p.n.at[i + l * p.ldn] = scalar_t(real_t(-0.5) * total(i));
	}
}
