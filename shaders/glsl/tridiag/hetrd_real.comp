// hetrd_real makes a Hermitian tridiagonal matrix T real: T ← Dᴴ·T·D, D = diag(1, …, 1, phase).
// Only the last off-diagonal element has an imaginary part, and its modulus takes its place.
//
// float64 only
// variant: zlag2d NUMBER=dvec2 BYTES=16
// variant: clag2d NUMBER=vec2 BYTES=8
//
// in:  d, e            n diagonal and n−1 off-diagonal numbers. No imaginary part is used except
//                      that of the last element of e
// out: real_d, real_e  the elements of the real matrix
//      phase           phase of the last element of e, with modulus 1; 1 if this element is 0,
//                      or if n = 1
//
// The outputs must not overlap the inputs.
//
// Grid: one invocation per element of d, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#define SCALAR_C128
#include "numerics_f64.glsl"
#include "numerics_complex.glsl"
#include "polar.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(buffer_reference, scalar, buffer_reference_align = BYTES) readonly buffer Source { NUMBER at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Reals { double at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer Phase { dvec2 at[]; };

layout(push_constant, scalar) uniform Push {
	Source d, e;
	Reals real_d, real_e;
	Phase phase;
	// n is the order of T, at least 1.
	uint n;
} p;

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.n) return;
	p.real_d.at[i] = real_of(scalar_t(p.d.at[i]));
	if (i + 2 < p.n) {
		p.real_e.at[i] = real_of(scalar_t(p.e.at[i]));
	} else if (i + 1 < p.n) {
		scalar_t phase;
		p.real_e.at[i] = polar(scalar_t(p.e.at[i]), phase);
		p.phase.at[0] = phase;
	} else if (p.n == 1) {
		p.phase.at[0] = one();
	}
}
