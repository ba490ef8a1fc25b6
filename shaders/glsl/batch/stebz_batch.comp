// stebz_batch finds eigenvalues of many symmetric tridiagonal matrices T by bisection (LAPACK
// dstebz). One workgroup processes one matrix. Each invocation finds different eigenvalues.
//
// in:      matrices  the matrices [first, first + count), of order ≤ ORDER
//          d, e      from element matrix.at on: T, of norm about 1
//          states    exponent: the eigenvalues are multiplied by 2^exponent. status: if it is
//                    NONFINITE, the eigenvalues are NaN
// out:     values    from element matrix.w on: the eigenvalues [from, to), ascending
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

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 256;
layout(constant_id = 1) const uint ORDER = 256;

layout(push_constant, scalar) uniform Push {
	Matrices matrices;
	States states;
	MatrixIn d, e;
	MatrixOut values;
	uint first, count;
} p;

shared real_t t_d[ORDER], t_e[ORDER];
#include "sturm_batch.glsl"

void main() {
	if (workgroup() >= p.count) return;
	uint index = p.first + workgroup(), t = gl_LocalInvocationIndex;
	BatchMatrix m = p.matrices.at[index];
	uint n = m.n;
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		t_d[i] = p.d.at[m.at + i];
		if (i + 1 < n) t_e[i] = p.e.at[m.at + i];
	}
	barrier();
	int norm = norm_exponent(0, n);
	real_t down = power_of_two(-norm), up = power_of_two(norm);
	// 2^exponent may be too large or too small for a double, so the eigenvalues are multiplied by
	// it in two steps.
	int exponent = unscaling(p.states.at[index].exponent);
	real_t back = power_of_two(exponent / 2), again = power_of_two(exponent - exponent / 2);
	bool good = p.states.at[index].status != NONFINITE;
	barrier();
	for (uint i = t; i < n; i += LOCAL_SIZE) {
		t_d[i] *= down;
		if (i + 1 < n) {
			real_t e = t_e[i] * down;
			t_e[i] = max(e * e, power_of_two(STURM_LEAST));
		}
	}
	barrier();
	for (uint i = m.from + t; i < m.to; i += LOCAL_SIZE) {
		real_t x = bisect(0, n, i) * up * back * again;
		p.values.at[m.w + i - m.from] = good ? x : JOIN(uvec2(0u, 0x7ff80000u));
	}
}
