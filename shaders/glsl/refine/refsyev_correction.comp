// float64 only
//
// refsyev_correction computes the first-order correction E of nearly orthonormal eigenvectors X
// (Ogita and Aishima's RefSyEv): X + X·E are better eigenvectors than X.
//
// With S = XᵀAX and R = I − XᵀX,
//
//	eᵢⱼ = rᵢⱼ/2                       in each of three cases:
//	                                  i = j; i and j are in one cluster;
//	                                  |coupling| ≤ noise and |λⱼ − λᵢ| ≤ TIGHT·noise
//	eᵢⱼ = (sᵢⱼ + λⱼ·rᵢⱼ)/(λⱼ − λᵢ)   otherwise
//
// The noise is the size of rounding errors in a coupling. pairs.glsl defines the coupling of i and
// j, and TIGHT.
//
// in, out: s      n×n: the lower triangle of S = XᵀAX is read. Eᵀ is written, both triangles
// in:  g          n×n, lower triangle: XᵀX
//      lambda     n Rayleigh quotients λ
//      clusters   n elements: the cluster of each index
//
// A workgroup owns a pair of tiles that mirror each other. No other workgroup reads or writes these
// two tiles. g, lambda and clusters must not overlap s.
//
// Grid: x and y together number the tiles of a lower triangle. n = 0 must not be dispatched.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "tile_order.glsl"
#include "pairs.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of TILE.
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
layout(constant_id = 1) const uint TILE = 32;

layout(push_constant, scalar) uniform Push {
	MatrixInOut s;
	MatrixIn g;
	ValuesIn lambda;
	ClustersIn clusters;
	// `noise` is the largest magnitude of a pair's coupling that counts as a rounding error.
	double noise;
	// n is the order of S and G. The leading dimensions lds and ldg are at least n.
	uint n, lds, ldg;
} p;

shared double tile[TILE * (TILE + 1)]; // eᵢⱼ at r + c·(TILE + 1), i = i0 + r, j = j0 + c

void main() {
	uint rows = (p.n + TILE - 1) / TILE;
	uint index = workgroup();
	if (index >= triangle(rows)) return;
	uvec2 at = lower_tile(index, rows);
	uint i0 = at.x * TILE, j0 = at.y * TILE;
	uint r = gl_LocalInvocationIndex % TILE, first = gl_LocalInvocationIndex / TILE;

	MatrixInOut lower = MatrixInOut(element(uint64_t(p.s), i0, j0, p.lds));
	MatrixIn gram = MatrixIn(element(uint64_t(p.g), i0, j0, p.ldg));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		uint i = i0 + r, j = j0 + c;
		if (i >= p.n || i < j) continue;
		double s = lower.at[r + c * p.lds], g = gram.at[r + c * p.ldg];
		double li = p.lambda.at[i], lj = p.lambda.at[j], gap = lj - li;
		double half_ = -0.5lf * g, eij = half_, eji = half_;
		if (i == j) {
			eij = 0.5lf * (1.0lf - g);
			eji = eij;
		} else if (p.clusters.at[i].from != p.clusters.at[j].from &&
			(abs(coupling(s, g, li, lj)) > p.noise || abs(gap) > TIGHT * p.noise)) {
			eij = (s - lj * g) / gap;
			eji = (s - li * g) / -gap;
		}
		lower.at[r + c * p.lds] = eji; // (i, j) of Eᵀ
		tile[r + c * (TILE + 1)] = eij;
	}
	barrier();
	MatrixInOut upper = MatrixInOut(element(uint64_t(p.s), j0, i0, p.lds));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		uint i = i0 + c, j = j0 + r;
		if (max(i, j) >= p.n || i <= j) continue;
		upper.at[r + c * p.lds] = tile[c + r * (TILE + 1)]; // (j, i) of Eᵀ
	}
}
