// sy2sb_middle computes a b×b matrix for the band reduction, N = −½·Tᵀ·X·T. T is the triangular
// factor of a panel I − y·T·yᵀ, and X = yᵀ·P, where P is the product of the trailing matrix and y.
//
// in:  x  b×b, leading dimension b
//      t  b×b, upper triangular with zeros stored below the diagonal, leading dimension ldt
// out: n  b×b, leading dimension b; it must not overlap x or t
//
// b is COLUMNS. A workgroup computes STRIP columns of N. b need not be a multiple of STRIP. A NaN
// in X or T makes the elements of N that depend on it NaN.
//
// Grid: ⌈COLUMNS / STRIP⌉ workgroups.
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
// STRIP is the number of columns of N that a workgroup computes, at least 1.
layout(constant_id = 2) const uint STRIP = 8;

layout(push_constant, scalar) uniform Push {
	MatrixIn x, t;
	MatrixOut n;
	// ldt is the leading dimension of T, at least b.
	uint ldt;
} p;

// AT_ONCE is the number of loads of each factor that an invocation has in flight.
const uint AT_ONCE = 8;

// The array xt in shared memory has element (i, l) of the product X·T at i + l·COLUMNS.
shared acc_t xt[STRIP * COLUMNS];

void main() {
	uint begin = gl_WorkGroupID.x * STRIP, size = min(STRIP, COLUMNS - begin) * COLUMNS;
	for (uint at = gl_LocalInvocationIndex; at < size; at += LOCAL_SIZE) {
		uint i = at % COLUMNS, l = begin + at / COLUMNS;
		acc_t sum = acc_t(0);
		[[dont_unroll]] for (uint k = 0; k < COLUMNS; k += AT_ONCE) {
			acc_t x[AT_ONCE], t[AT_ONCE];
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				bool in_ = k + u < COLUMNS;
				x[u] = in_ ? acc_t(p.x.at[i + (k + u) * COLUMNS]) : acc_t(0);
				t[u] = in_ ? acc_t(p.t.at[k + u + l * p.ldt]) : acc_t(0);
			}
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) sum = fma(x[u], t[u], sum);
		}
		xt[at] = sum;
	}
	barrier();
	for (uint at = gl_LocalInvocationIndex; at < size; at += LOCAL_SIZE) {
		uint i = at % COLUMNS, l = at / COLUMNS;
		acc_t sum = acc_t(0);
		[[dont_unroll]] for (uint k = 0; k < COLUMNS; k += AT_ONCE) {
			acc_t t[AT_ONCE];
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) t[u] = k + u < COLUMNS ? acc_t(p.t.at[k + u + i * p.ldt]) : acc_t(0);
			[[unroll]] for (uint u = 0; u < AT_ONCE; u++) {
				if (k + u < COLUMNS) sum = fma(t[u], xt[k + u + l * COLUMNS], sum);
			}
		}
		p.n.at[i + (begin + l) * COLUMNS] = scalar_t(acc_t(-0.5) * sum);
	}
}
