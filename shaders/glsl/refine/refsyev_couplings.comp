// refsyev_couplings finds, for each vector j, the vectors i > j that are coupled to j. A pair is
// coupled if its first-order correction would be too large, or if its eigenvalues are in the wrong
// order.
//
// complex
//
// in:  s, g       n×n, lower triangles: Sᵀ and Gᵀ (pairs.glsl)
//      lambda     n Rayleigh quotients λ
//      lengths    n numbers ‖x‖, or null (noise_of in pairs.glsl)
// out: reach      n elements: 1 + the largest i > j that is coupled to j, or j + 1 if no i is
//                 coupled to j. An element is a real number without a fraction
//      strength   n elements: the largest |coupling| of j with a coupled i > j, or 0
//
// A pair is coupled if λᵢ − λⱼ < −DISORDER·noise, or if |coupling| > noise and |coupling| >
// ANGLE·|λᵢ − λⱼ|. pairs.glsl defines coupling, noise, DISORDER and ANGLE. A pair with a NaN is not
// coupled. Outputs must not overlap inputs.
//
// Grid: one workgroup per vector, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "pairs.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a power of two.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
#include "reduce.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixIn s, g;
	ValuesIn lambda, lengths;
	ValuesOut reach, strength;
	// noise_a and noise_b give the size of rounding errors in couplings: they are the arguments a
	// and b of noise_of in pairs.glsl.
	real_bits_t noise_a, noise_b;
	// n is the order of the matrices S and G (pairs.glsl). The leading dimensions lds and ldg are
	// at least n.
	uint n, lds, ldg;
} p;

void main() {
	uint j = workgroup();
	if (j >= p.n) return;
	MatrixIn s = MatrixIn(element(uint64_t(p.s), 0, j, p.lds));
	MatrixIn g = MatrixIn(element(uint64_t(p.g), 0, j, p.ldg));
	real_t lj = real_of(p.lambda.at[j]), reach = real_t(j + 1), strength = real_t(0);
	for (uint i = j + 1 + gl_LocalInvocationIndex; i < p.n; i += LOCAL_SIZE) {
		real_t li = real_of(p.lambda.at[i]), c = modulus(coupling(s.at[i], g.at[i], li, lj)), gap = li - lj;
		real_t noise = noise_of(REAL(p.noise_a), REAL(p.noise_b), p.lengths, i, j, li, lj);
		if (gap < -DISORDER * noise || (c > noise && c > ANGLE * abs(gap))) {
			reach = real_t(i + 1);
			strength = max(strength, c);
		}
	}
	reach = group_max(reach);
	strength = group_max(strength);
	if (gl_LocalInvocationIndex == 0) {
		p.reach.at[j] = of_real(reach);
		p.strength.at[j] = of_real(strength);
	}
}
