// refsyev_correction computes the first-order correction E of nearly orthonormal eigenvectors X
// (Ogita and Aishima's RefSyEv): X + X·E are better eigenvectors than X. The problem is A·x = λ·B·x,
// with B = I for A·x = λ·x.
//
// complex
//
// With S = XᴴAX, G = XᴴBX and R = I − G,
//
//	eᵢⱼ = rᵢⱼ/2                       in each of three cases:
//	                                  i = j; i and j are in one cluster;
//	                                  |coupling| ≤ noise and |λⱼ − λᵢ| ≤ TIGHT·noise
//	eᵢⱼ = (sᵢⱼ + λⱼ·rᵢⱼ)/(λⱼ − λᵢ)   otherwise
//
// pairs.glsl defines the coupling and the noise of i and j, and TIGHT. If lengths are given,
// PAIR_TIGHT takes the place of TIGHT.
//
// in, out: s      n×n: the lower triangle of Sᵀ is read. Eᵀ is written, both triangles
// in:  g          n×n, lower triangle: Gᵀ
//      lambda     n Rayleigh quotients λ
//      lengths    n numbers ‖x‖, or null (noise_of in pairs.glsl)
//      clusters   2·n elements: the cluster of each index (cluster_of in pairs.glsl)
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
#include "numerics.glsl"
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
	ValuesIn lambda, lengths;
	ClustersIn clusters;
	// noise_a and noise_b give the size of rounding errors in couplings: they are the arguments a
	// and b of noise_of in pairs.glsl.
	real_bits_t noise_a, noise_b;
	// n is the order of the matrices S and G (pairs.glsl). The leading dimensions lds and ldg are
	// at least n.
	uint n, lds, ldg;
} p;

shared scalar_t tile[TILE * (TILE + 1)]; // eᵢⱼ at r + c·(TILE + 1), i = i0 + r, j = j0 + c

void main() {
	uint rows = (p.n + TILE - 1) / TILE;
	uint index = workgroup();
	if (index >= triangle(rows)) return;
	uvec2 at = lower_tile(index, rows);
	uint i0 = at.x * TILE, j0 = at.y * TILE;
	uint r = gl_LocalInvocationIndex % TILE, first = gl_LocalInvocationIndex / TILE;

	real_t tight = uint64_t(p.lengths) == 0ul ? TIGHT : PAIR_TIGHT;
	MatrixInOut lower = MatrixInOut(element(uint64_t(p.s), i0, j0, p.lds));
	MatrixIn gram = MatrixIn(element(uint64_t(p.g), i0, j0, p.ldg));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		uint i = i0 + r, j = j0 + c;
		if (i >= p.n || i < j) continue;
		scalar_t s = lower.at[r + c * p.lds], g = gram.at[r + c * p.ldg]; // sⱼᵢ and gⱼᵢ
		real_t li = real_of(p.lambda.at[i]), lj = real_of(p.lambda.at[j]), gap = lj - li;
		real_t noise = noise_of(REAL(p.noise_a), REAL(p.noise_b), p.lengths, i, j, li, lj);
		scalar_t eji = -real_t(0.5) * g, conjugate_eij = eji;
		if (i == j) {
			eji = of_real(real_t(0.5) * (real_t(1) - real_of(g)));
			conjugate_eij = eji;
		} else if (p.clusters.at[2 * i] != p.clusters.at[2 * j] &&
			(modulus(coupling(s, g, li, lj)) > noise || abs(gap) > tight * noise)) {
			eji = divided(s - li * g, -gap);
			conjugate_eij = divided(s - lj * g, gap);
		}
		lower.at[r + c * p.lds] = eji; // (i, j) of Eᵀ
		tile[r + c * (TILE + 1)] = conjugate(conjugate_eij);
	}
	barrier();
	MatrixInOut upper = MatrixInOut(element(uint64_t(p.s), j0, i0, p.lds));
	for (uint c = first; c < TILE; c += LOCAL_SIZE / TILE) {
		uint i = i0 + c, j = j0 + r;
		if (max(i, j) >= p.n || i <= j) continue;
		upper.at[r + c * p.lds] = tile[c + r * (TILE + 1)]; // (j, i) of Eᵀ
	}
}
