// refsyev_rotate multiplies the correction E of eigenvectors by the eigenvectors W of the clusters:
// F = (I + E)·W − I, where W is block diagonal. Row j of Fᵀ becomes
//
//	f(c) = Σₗ W(l, j)·(Eᵀ(from + l, c) + δ(from + l, c)) − δ(j, c)
//
// c is the number of the column, `from` is the first index of the cluster of j, and δ is 1 for
// equal indices and otherwise 0.
//
// complex
//
// in:  e          n×n: Eᵀ
//      clusters   2·n elements: the cluster of each index (cluster_of in pairs.glsl)
//      w          ldw×n: rows 0 to m−1 of column j are the coefficients of vector j in its cluster,
//                 of order m ≤ ldw. Columns of clusters of one index are not read
// out: f          n×n: Fᵀ
//
// For clusters of more than MOST indices, the kernel leaves out the terms with Eᵀ. A matrix product
// can add these terms. Rows of clusters of one index are copied. f must not overlap the inputs.
//
// Grid: one invocation per element, rows rounded up to LOCAL_SIZE, in x and y.
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
// MOST is the largest order of a cluster for which the kernel adds the terms with the correction E.
layout(constant_id = 1) const uint MOST = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn e;
	ClustersIn clusters;
	MatrixIn w;
	MatrixOut f;
	// n is the order of the correction E and of the rotated correction F. lde and ldf are at least
	// n. ldw is the leading dimension of W, the eigenvectors of the clusters.
	uint n, lde, ldw, ldf;
} p;

void main() {
	uint tiles = (p.n + LOCAL_SIZE - 1) / LOCAL_SIZE, group = workgroup();
	uint j = group % tiles * LOCAL_SIZE + gl_LocalInvocationIndex, c = group / tiles;
	if (c >= p.n || j >= p.n) return;
	Cluster in_ = cluster_of(p.clusters, j);
	MatrixIn e = MatrixIn(element(uint64_t(p.e), 0, c, p.lde));
	scalar_t x;
	if (in_.to - in_.from == 1) {
		x = e.at[j];
	} else {
		MatrixIn w = MatrixIn(element(uint64_t(p.w), 0, j, p.ldw));
		x = in_.from <= c && c < in_.to ? w.at[c - in_.from] : scalar_t(0);
		if (c == j) x -= one();
		if (in_.to - in_.from <= MOST) {
			for (uint l = 0; l < in_.to - in_.from; l++) x = mad(w.at[l], e.at[in_.from + l], x);
		}
	}
	MatrixOut(element(uint64_t(p.f), j, c, p.ldf)).at[0] = x;
}
