// gebrd_real makes a complex upper bidiagonal matrix C real: C ← D_Uᴴ·C·D_V, D_U = diag(1, …, 1,
// left), D_V = diag(1, …, 1, right).
//
// float64 only
// variant: zbd2d NUMBER=dvec2 BYTES=16
// variant: cbd2d NUMBER=vec2 BYTES=8
//
// in:  off     d1, e1, d2, e2, …, dn: the 2n−1 elements of C, as the off-diagonal of the
//              Golub-Kahan form of C. No imaginary part is used except those of the last e and of
//              the last d
// out: reals   the 2n−1 elements of the real matrix
//      phases  left, then right, numbers of modulus 1. `right` makes the last e real, and `left`
//              then makes the last d real. They are 1 if this element is 0 or does not exist
//
// The outputs must not overlap the input.
//
// Grid: one invocation per element of off, in x and y.
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
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer Phases { dvec2 at[]; };

layout(push_constant, scalar) uniform Push {
	Source off;
	Reals reals;
	Phases phases;
	// n is the order of C, at least 1.
	uint n;
} p;

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex, last = 2 * p.n - 2;
	if (i + 1 < last) p.reals.at[i] = real_of(scalar_t(p.off.at[i]));
	if (i != last) return;
	scalar_t phase, right = one();
	if (i > 0) {
		p.reals.at[i - 1] = polar(scalar_t(p.off.at[i - 1]), phase);
		right = conjugate(phase);
	}
	p.reals.at[i] = polar(mul(scalar_t(p.off.at[i]), right), phase);
	p.phases.at[0] = phase;
	p.phases.at[1] = right;
}
