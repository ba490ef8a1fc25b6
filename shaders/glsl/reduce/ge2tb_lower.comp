// ge2tb_lower copies the lower triangles that a reduction to an upper band leaves (ge2tb) to the
// general compact band. tb2bd.comp explains the storage of this band.
//
// complex
//
//	B(c+i, c+b+j) ← conj(r_p(j, i))      c = p·b, j ≤ i < b, c+b+j < n
//
// B is the band matrix of order n with b superdiagonals, and p is the number of a right panel.
//
// in:  r     for each right panel p a b×b matrix r_p, the upper triangular factor of the
//            panel's adjoint, one after another
// out: band  the elements of B in the formula; no other elements are written
//
// Real values are copied as they are. band must not overlap r.
//
// Grid: one invocation per element of r, in x and y.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn r;
	MatrixOut band;
	// n is the order of the band matrix, b the number of its superdiagonals, at least 1, and
	// `panels` the number of right panels.
	uint n, b, panels;
} p;

void main() {
	uint k = workgroup() * LOCAL_SIZE + gl_LocalInvocationIndex;
	uint panel = k / (p.b * p.b), i = k / p.b % p.b, j = k % p.b;
	if (panel >= p.panels || j > i) return;
	uint row = panel * p.b + i, col = (panel + 1) * p.b + j;
	if (col >= p.n) return;
	MatrixOut(element(uint64_t(p.band), row + 2 * p.b - 1 - col, col, 3 * p.b)).at[0] = conjugate(MatrixIn(element(uint64_t(p.r), k, 0, 0)).at[0]);
}
