// larft makes the diagonal blocks of the factor T of a product of reflectors.
//
//	H0·H1⋯ = I − Y·T·Yᵀ     T = (D⁻¹ + U)⁻¹ = (I + D·U)⁻¹·D
//
// D = diag(τ), U the strictly upper triangle of G = Yᵀ·Y (dlarft; the closed form
// is Schreiber and Van Loan's and Puglisi's). The second form serves τ = 0, too, whose
// row and column of T are zero. Blocks on the diagonal grow from one element to the whole,
// all of one size at the same time:
//
//	T12 = −T11·(G12·T22)
//
// g, t      n×n, leading dimensions ldg and ldt; they do not overlap
// tau       n factors
//
// Workgroup q makes columns [q·BLOCK, (q+1)·BLOCK) of T in the rows of its
// diagonal block, and zeros below; the blocks above the diagonal blocks are not
// touched. Of G its diagonal blocks are read, and count above the diagonal; what stands
// elsewhere may be NaN. BLOCK ≤ LOCAL_SIZE.
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

shared acc_t gram[BLOCK * STRIDE];    // (i, k) at i·STRIDE + k for k > i; G12·T22 below, transposed
shared acc_t factor[BLOCK * STRIDE];  // (i, l) at i·STRIDE + l

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
		uint elements = (size + 2 * s - 1) / (2 * s) * s * s; // of all blocks T12
		for (uint e = t; e < elements; e += LOCAL_SIZE) {
			uint first = e / (s * s) * 2 * s, i = first + e % s, l = first + s + e % (s * s) / s;
			if (l >= size) continue;
			acc_t sum = acc_t(0);
			for (uint k = first + s; k <= l; k++) sum = fma(gram[i * STRIDE + k], factor[k * STRIDE + l], sum);
			gram[l * STRIDE + i] = sum;
		}
		barrier();
		for (uint e = t; e < elements; e += LOCAL_SIZE) {
			uint first = e / (s * s) * 2 * s, i = first + e % s, l = first + s + e % (s * s) / s;
			if (l >= size) continue;
			acc_t sum = acc_t(0);
			for (uint k = i; k < first + s; k++) sum = fma(factor[i * STRIDE + k], gram[l * STRIDE + k], sum);
			factor[i * STRIDE + l] = -sum;
		}
		barrier();
	}

	uint tall = p.n - begin; // the rows from the diagonal block down
	for (uint at = t; at < tall * size; at += LOCAL_SIZE) {
		uint i = at % tall, l = at / tall;
		p.t.at[begin + i + (begin + l) * p.ldt] = i < size ? real_t(factor[i * STRIDE + l]) : real_t(0);
	}
}
