// larft makes the diagonal blocks of the factor T of a product of reflectors.
//
//	H0·H1⋯ = I − Y·T·Yᵀ     T = (D⁻¹ + U)⁻¹ = (I + D·U)⁻¹·D
//
// D = diag(τ), U the strictly upper triangle of G = Yᵀ·Y (dlarft; the closed form
// is Schreiber and Van Loan's and Puglisi's). The second form serves τ = 0, too, whose
// row and column of T are zero. Column l is solved from its diagonal up:
//
//	T[l, l] = τ(l)     T[i, l] = −τ(i)·Σ G[i, k]·T[k, l], k = i+1 … l
//
// g, t      n×n, leading dimensions ldg and ldt; they do not overlap
// tau       n factors
//
// Workgroup q makes columns [q·BLOCK, (q+1)·BLOCK) of T in the rows of its
// diagonal block, and zeros below; the blocks above the diagonal blocks are not
// touched. G is read in its diagonal blocks, above the diagonal. BLOCK ≤ LOCAL_SIZE.
//
// Grid: ceil(n / BLOCK) workgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
layout(constant_id = 1) const uint BLOCK = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn g, tau;
	MatrixOut t;
	uint n, ldg, ldt;
} p;

const uint STRIDE = BLOCK + 1;

shared acc_t gram[BLOCK * STRIDE];    // (i, k) at i·STRIDE + k
shared acc_t factor[BLOCK * STRIDE];  // (i, l) at i·STRIDE + l: a column belongs to one invocation
shared acc_t factors[BLOCK];

void main() {
	uint t = gl_LocalInvocationIndex, begin = gl_WorkGroupID.x * BLOCK;
	uint size = min(BLOCK, p.n - begin);
	for (uint at = t; at < size * size; at += LOCAL_SIZE) {
		uint i = at % size, k = at / size;
		gram[i * STRIDE + k] = acc_t(p.g.at[begin + i + (begin + k) * p.ldg]);
	}
	for (uint i = t; i < size; i += LOCAL_SIZE) factors[i] = acc_t(p.tau.at[begin + i]);
	barrier();

	if (t < size) {
		for (uint i = size; i-- > 0;) {
			// Rows past the column's diagonal hold zeros, so that all columns run alike.
			acc_t even = acc_t(0), odd = acc_t(0);
			[[dont_unroll]] for (uint k = i + 1; k < size; k += 2) {
				even = fma(gram[i * STRIDE + k], factor[k * STRIDE + t], even);
				if (k + 1 < size) odd = fma(gram[i * STRIDE + k + 1], factor[(k + 1) * STRIDE + t], odd);
			}
			acc_t x = i == t ? factors[i] : -factors[i] * (even + odd);
			factor[i * STRIDE + t] = i <= t ? x : acc_t(0);
		}
	}
	barrier();

	uint tall = p.n - begin; // the rows from the diagonal block down
	for (uint at = t; at < tall * size; at += LOCAL_SIZE) {
		uint i = at % tall, l = at / tall;
		p.t.at[begin + i + (begin + l) * p.ldt] = i < size ? real_t(factor[i * STRIDE + l]) : real_t(0);
	}
}
