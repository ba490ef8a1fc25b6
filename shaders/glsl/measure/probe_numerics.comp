// probe_numerics computes the numeric helpers of other kernels, so that a test can measure their
// errors: those of reflector.glsl, scale.glsl, panel_reflector.glsl, root.glsl and half.glsl.
//
// in:  x    count arguments of functions of one variable
//      y    pairs (head, square) for reflectors: the head of a vector, and the sum of squares of
//           the other elements
// out: one  ONE results for each x: inverse_root(x), inverse(x), reciprocal(x), root(x),
//           power_of_two(exponent_of(x)), inverse_root_near(x), nearest_half(x). In single
//           precision inverse_root_near is 0
//      all  ALL results for each pair: γ, u0, `inverse`, β and τ of reflector.glsl with the
//           exponent e, and β, τ and `inverse` of panel_reflector.glsl
//
// The kernel is for tests. The outputs must not overlap an input or each other.
//
// Grid: one invocation for each x and each pair, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "half.glsl"
#include "reflector.glsl"
#ifndef SCALAR_F32
#include "tridiag/root.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
#include "reduce.glsl"

// reflector.glsl and panel_reflector.glsl use the same names, so those of panel_reflector.glsl are
// changed here.
#define Reflector PanelReflector
#define reflector panel_reflector
#include "reduce/panel_reflector.glsl"
#undef Reflector
#undef reflector

#pragma host ONE
// ONE is the number of results of an argument, and ALL is the number of results of a pair.
const uint ONE = 7;
#pragma host ALL
const uint ALL = 8;

layout(push_constant, scalar) uniform Push {
	MatrixIn x, y;
	MatrixOut one, all;
	// `count` is the number of arguments, and the number of pairs.
	uint count;
	// e is the exponent of the power of two that scales the reflectors of reflector.glsl.
	int e;
} p;

void main() {
	uint i = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	if (i >= p.count) return;
	work_t x = p.x.at[i];
	uint at = ONE * i;
	p.one.at[at] = inverse_root(x);
	p.one.at[at + 1] = inverse(x);
	p.one.at[at + 2] = reciprocal(x);
	p.one.at[at + 3] = root(x);
	p.one.at[at + 4] = power_of_two(exponent_of(x));
#ifdef SCALAR_F32
	p.one.at[at + 5] = 0;
#else
	p.one.at[at + 5] = inverse_root_near(x);
#endif
	p.one.at[at + 6] = work_t(nearest_half(float(x)));

	work_t head = p.y.at[2 * i], square = p.y.at[2 * i + 1];
	Reflector h = reflector(head, fma(head, head, square), p.e, head, square > 0);
	PanelReflector g = panel_reflector(head, square);
	at = ALL * i;
	p.all.at[at] = h.gamma, p.all.at[at + 1] = h.u0, p.all.at[at + 2] = h.inverse;
	p.all.at[at + 3] = h.beta, p.all.at[at + 4] = h.tau;
	p.all.at[at + 5] = g.beta, p.all.at[at + 6] = g.tau, p.all.at[at + 7] = g.inverse;
}
