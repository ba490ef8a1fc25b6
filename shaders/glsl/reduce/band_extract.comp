// band_extract copies the diagonal blocks of the band out of A after a band reduction, and sets the
// part of A above the reflectors to zero.
//
// complex
//
//	band[(i − j) + j·2b] ← A[i, j]     j ≤ i < end(j)
//	A[i, j] ← 0                        0 ≤ i < end(j),   end(j) = min((⌊j/b⌋ + 1)·b, n)
//
// b is the half-bandwidth, and end(j) is the first row below the diagonal block of column j.
//
// in, out: a         n×n, ld ≥ n; its strictly upper triangle is not read and may hold NaN, as
//                    may the imaginary parts of its diagonal
// out:     band      2b rows per column; other elements of band are not touched. The imaginary
//                    parts of the diagonal are 0
//
// A workgroup copies LOCAL_SIZE rows of the b columns of one panel. band must not overlap A.
//
// Grid: ⌈n / LOCAL_SIZE⌉·⌈n / b⌉ workgroups, in x and y.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixInOut a;
	MatrixOut band;
	// n is the order of A, at least 1. b is the half-bandwidth, at least 1. ld is the leading
	// dimension of A, at least n.
	uint n, b, ld;
} p;

void main() {
	uint group = workgroup();
	uint tiles = (p.n + LOCAL_SIZE - 1) / LOCAL_SIZE;
	uint i = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, begin = group / tiles * p.b;
	if (begin >= p.n || i >= min(begin + p.b, p.n)) return;
	for (uint j = begin; j < min(begin + p.b, p.n); j++) {
		MatrixInOut a = MatrixInOut(element(uint64_t(p.a), 0, j, p.ld));
		if (i >= j) {
			MatrixOut band = MatrixOut(element(uint64_t(p.band), 0, j, 2 * p.b));
			band.at[i - j] = real_if(i == j, a.at[i]);
		}
		a.at[i] = scalar_t(0);
	}
}
