// random_sweeps makes reflectors H = I − τ·v·vᵀ from random vectors v. It stores them as bulge
// chasing stores its reflectors (sb2st.comp).
//
// out: v    the vectors of sweep s fill n−1−s elements: one vector after another, each of
//           length b except the last. Element 0 of each vector is 1, the other elements are
//           uniform in [−1, 1)
//      tau  ⌈(n−1)/b⌉ elements per sweep, one for each step: τ = 2/‖v‖², so that H is
//           orthogonal; 0 for a vector of one element, and where the sweep has no step
//
// v and tau must not overlap.
//
// Grid: one invocation per step; ⌈steps/LOCAL_SIZE⌉ workgroups per sweep, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "random.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixOut v, tau;
	// n is at least 2, and b at least 1. `seed` selects the random numbers, and may have any value.
	uint n, b, sweeps, seed;
} p;

void main() {
	uint steps = (p.n - 1 + p.b - 1) / p.b, groups = (steps + LOCAL_SIZE - 1) / LOCAL_SIZE;
	uint s = workgroup() / groups, step = workgroup() % groups * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (s >= p.sweeps || step >= steps) return;
	MatrixOut tau = MatrixOut(element(uint64_t(p.tau), step, s, steps));
	uint rows = p.n - 1 - s, first = step * p.b;
	uint len = first < rows ? min(p.b, rows - first) : 0;
	if (len == 0) {
		tau.at[0] = 0;
		return;
	}
	// The vectors of sweeps 0, 1, … s−1 have n−1, n−2, … elements, which come before those of sweep
	// s.
	uint64_t before = uint64_t(s) * (2ul * p.n - 1 - s) / 2;
	MatrixOut v = MatrixOut(element(uint64_t(p.v), before + first, 0, 0));
	v.at[0] = 1;
	work_t sum = 1;
	for (uint i = 1; i < len; i++) {
		work_t x = uniform_at(first + i, s, p.seed);
		v.at[i] = x;
		sum += x * x;
	}
	tau.at[0] = len > 1 ? real_t(2) / sum : real_t(0);
}
