// lacpy_symmetric scales a symmetric matrix of which one triangle is stored, and writes both
// triangles: A ← σ·A (LAPACK dlascl, then dlacpy of the transpose). A complex matrix is Hermitian.
//
// complex
//
// in, out: a  n×n. The lower or the upper triangle is read, as the parameter `upper` says. Both
//             triangles are written. The triangle that is not read may hold NaN, as may the
//             imaginary parts of the diagonal
//
// A workgroup owns a pair of tiles that mirror each other. No other workgroup reads or writes these
// two tiles. The stored tile is copied to shared memory, so that both tiles are accessed
// contiguously. n need not be a multiple of TILE. Padding is not touched.
//
// Grid: x and y together number the tiles of a lower triangle. n = 0 must not be dispatched.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "tile_order.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of TILE.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the number of rows and columns of a tile.
layout(constant_id = 1) const uint TILE = 32;

layout(push_constant, scalar) uniform Push {
	MatrixInOut a;
	// sigma is the factor σ, a finite real number.
	real_bits_t sigma;
	// n is the order of A, at least 1. The leading dimension ld is at least n. If upper is 0, the
	// lower triangle of A is stored, otherwise the upper triangle. For complex numbers `upper` has
	// two bits: UPPER means that the upper triangle is stored, and CONJUGATE makes the result
	// σ·conj(A) = σ·Aᵀ.
	uint n, ld, upper;
	// The kernel makes the tiles first … end − 1 of the lower triangle.
	uint first, end;
} p;

#ifdef COMPLEX
#pragma host UPPER
const uint UPPER = 1;
#pragma host CONJUGATE
const uint CONJUGATE = 2;
#define stored_upper (p.upper & UPPER)
#else
#define stored_upper p.upper
#endif

shared scalar_t tile[TILE * (TILE + 1)]; // element (r, c) at r + c·(TILE + 1)

void main() {
	uint rows = (p.n + TILE - 1) / TILE;
	uint index = p.first + workgroup();
	if (index >= p.end) return;
	uvec2 at = lower_tile(index, rows);
	if (stored_upper != 0) at = at.yx;
	uint i0 = at.x * TILE, j0 = at.y * TILE;
	uint r = gl_LocalInvocationIndex % TILE, first = gl_LocalInvocationIndex / TILE;

	MatrixInOut stored = MatrixInOut(element(uint64_t(p.a), i0, j0, p.ld));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		uint i = i0 + r, j = j0 + c;
		if (max(i, j) >= p.n || (stored_upper == 0 ? i < j : i > j)) continue;
		scalar_t x = scalar_t(REAL(p.sigma) * real_if(i == j, conjugated(stored.at[r + c * p.ld], (p.upper & CONJUGATE) != 0 ? SIGN_BIT : 0)));
		stored.at[r + c * p.ld] = x;
		tile[r + c * (TILE + 1)] = x;
	}
	barrier();
	MatrixInOut mirror = MatrixInOut(element(uint64_t(p.a), j0, i0, p.ld));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		// Element (r, c) of the mirrored tile is element (c, r) of the stored tile.
		uint i = i0 + c, j = j0 + r;
		if (max(i, j) >= p.n || (stored_upper == 0 ? i <= j : i >= j)) continue;
		mirror.at[r + c * p.ld] = conjugate(tile[c + r * (TILE + 1)]);
	}
}
