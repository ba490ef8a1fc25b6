// larft computes the diagonal blocks of the triangular factor T of a product of n reflectors
// (LAPACK dlarft).
//
// complex
//
//	H0·H1⋯ = I − Y·T·Yᵀ     T = (D⁻¹ + U)⁻¹ = (I + D·U)⁻¹·D
//
// D = diag(τ), and U is the strictly upper triangle of G = Yᵀ·Y; for complex numbers Yᴴ takes the
// place of Yᵀ. The formula for T is from Schreiber and Van Loan, and from Puglisi. The second form
// of the formula also allows τ = 0: then the row and the column of T that belong to this τ are
// zero. The diagonal blocks of T grow from order 1 to order BLOCK. In each step, every two
// neighbouring blocks T11 and T22 become one block with
//
//	T12 = −T11·(G12·T22)
//
// in:  g    n×n. Only the parts of the diagonal blocks above the diagonal are used; all other
//           elements may be NaN
//      tau  n factors τ
// out: t    n×n. Workgroup q writes columns [q·BLOCK, (q+1)·BLOCK): the rows of its diagonal
//           block, and zeros below the block. Rows above the block are not touched
//
// n need not be a multiple of BLOCK. t must not overlap g or tau.
//
// Grid: ⌈n / BLOCK⌉ workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, at least BLOCK.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// BLOCK is the number of rows and columns of a diagonal block of T that a workgroup computes, at
// least 1.
layout(constant_id = 1) const uint BLOCK = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn g, tau;
	MatrixOut t;
	// n is the number of reflectors, at least 1. The leading dimensions ldg and ldt are at least n.
	uint n, ldg, ldt;
} p;

// STRIDE is the leading dimension of matrices in shared memory. An odd STRIDE avoids bank
// conflicts.
const uint STRIDE = BLOCK + 1;

// `gram` has element (i, k) of the Gram matrix G at i·STRIDE + k for k > i. Below the diagonal
// `gram` has the transpose of the product G12·T22.
shared acc_t gram[BLOCK * STRIDE];
// `factor` has element (i, l) of the triangular factor T at i·STRIDE + l.
shared acc_t factor[BLOCK * STRIDE];

void main() {
	uint t = gl_LocalInvocationIndex, begin = gl_WorkGroupID.x * BLOCK;
	uint size = min(BLOCK, p.n - begin);
	for (uint at = t; at < size * size; at += LOCAL_SIZE) {
		uint i = at % size, k = at / size;
		gram[i * STRIDE + k] = acc_t(p.g.at[begin + i + (begin + k) * p.ldg]);
		factor[i * STRIDE + k] = i == k ? acc_t(p.tau.at[begin + i]) : acc_t(0);
	}
	barrier();

	for (uint s = 1; s < size; s *= 2) {
		uint elements = (size + 2 * s - 1) / (2 * s) * s * s; // elements of all blocks T12 of size s
		for (uint e = t; e < elements; e += LOCAL_SIZE) {
			uint first = e / (s * s) * 2 * s, i = first + e % s, l = first + s + e % (s * s) / s;
			if (l >= size) continue;
			acc_t sum = acc_t(0);
			for (uint k = first + s; k <= l; k++) sum = mad(gram[i * STRIDE + k], factor[k * STRIDE + l], sum);
			gram[l * STRIDE + i] = sum;
		}
		barrier();
		for (uint e = t; e < elements; e += LOCAL_SIZE) {
			uint first = e / (s * s) * 2 * s, i = first + e % s, l = first + s + e % (s * s) / s;
			if (l >= size) continue;
			acc_t sum = acc_t(0);
			for (uint k = i; k < first + s; k++) sum = mad(factor[i * STRIDE + k], gram[l * STRIDE + k], sum);
			factor[i * STRIDE + l] = -sum;
		}
		barrier();
	}

	uint tall = p.n - begin; // rows from the diagonal block down
	for (uint at = t; at < tall * size; at += LOCAL_SIZE) {
		uint i = at % tall, l = at / tall;
		p.t.at[begin + i + (begin + l) * p.ldt] = i < size ? scalar_t(factor[i * STRIDE + l]) : scalar_t(0);
	}
}
