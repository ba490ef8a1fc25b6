// refsyev_blocks collects the matrices of the clusters of eigenvalues. The diagonal elements of
// such a matrix are Rayleigh quotients, and the other elements are couplings (pairs.glsl).
//
// complex
//
// in:  s, g       n×n, lower triangles: Sᵀ and Gᵀ (pairs.glsl)
//      lambda     n Rayleigh quotients
//      clusters   2·n elements: the cluster of each index (cluster_of in pairs.glsl)
// out: blocks     ldb×n. Let [from, to) be the cluster that has index j, and m = to − from ≤ ldb
//                 the order of its matrix. Rows 0 to m−1 of column j are column j − from of this
//                 matrix. Both triangles are written. Other elements, and columns of clusters of
//                 one index, are not touched
//
// blocks must not overlap the inputs.
//
// Grid: one workgroup per column, in x and y.
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
layout(constant_id = 0) const uint LOCAL_SIZE = 64;

layout(push_constant, scalar) uniform Push {
	MatrixIn s, g;
	ValuesIn lambda;
	ClustersIn clusters;
	MatrixOut blocks;
	// n is the order of the matrices S and G (pairs.glsl). The leading dimensions lds and ldg are
	// at least n. ldb is the leading dimension of blocks, at least the order of the largest
	// cluster.
	uint n, lds, ldg, ldb;
} p;

void main() {
	uint j = workgroup();
	if (j >= p.n) return;
	Cluster c = cluster_of(p.clusters, j);
	if (c.to - c.from == 1) return;
	MatrixOut block = MatrixOut(element(uint64_t(p.blocks), 0, j, p.ldb));
	for (uint i = c.from + gl_LocalInvocationIndex; i < c.to; i += LOCAL_SIZE) {
		uint row = max(i, j), col = min(i, j);
		scalar_t x = p.lambda.at[i];
		if (i != j) {
			scalar_t s = MatrixIn(element(uint64_t(p.s), row, col, p.lds)).at[0];
			scalar_t g = MatrixIn(element(uint64_t(p.g), row, col, p.ldg)).at[0];
			x = coupling(s, g, real_of(p.lambda.at[row]), real_of(p.lambda.at[col]));
			if (i > j) x = conjugate(x);
		}
		block.at[i - c.from] = x;
	}
}
