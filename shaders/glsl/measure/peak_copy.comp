// peak_copy copies y ← x, to measure the bandwidth of memory.
//
// in:  x  2·pairs elements, 16-byte aligned
// out: y  2·pairs elements, 16-byte aligned; it must not overlap x
//
// An invocation has PIECES loads of 16 bytes each in flight before it stores. Neighbouring
// invocations load neighbouring pairs. Values are copied unchanged, also NaN.
//
// Grid: at least ⌈pairs/(LOCAL_SIZE·PIECES)⌉ workgroups, in x and y together. Invocations after the
// last pair do nothing.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint PIECES = 4;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer PairsIn { dvec2 at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) writeonly buffer PairsOut { dvec2 at[]; };

layout(push_constant, scalar) uniform Push {
	MatrixIn x;
	MatrixOut y;
	uint pairs;
} p;

void main() {
	PairsIn x = PairsIn(uint64_t(p.x));
	PairsOut y = PairsOut(uint64_t(p.y));
	uint first = workgroup() * LOCAL_SIZE * PIECES + gl_LocalInvocationIndex;
	dvec2 piece[PIECES];
	[[unroll]] for (uint i = 0; i < PIECES; i++) {
		if (first + i * LOCAL_SIZE < p.pairs) piece[i] = x.at[first + i * LOCAL_SIZE];
	}
	[[unroll]] for (uint i = 0; i < PIECES; i++) {
		if (first + i * LOCAL_SIZE < p.pairs) y.at[first + i * LOCAL_SIZE] = piece[i];
	}
}
