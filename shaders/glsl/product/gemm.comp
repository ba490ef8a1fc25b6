// gemm computes C ← α·op(A)·op(B) + β·C for a batch of matrices, or partial products that gemm_sum
// adds up (split-K; LAPACK dgemm). With a second pair of factors it computes C ← α·(op(A)·op(B) +
// op(A2)·op(B2)) + β·C.
//
// complex
//
// in:      a, b    op(A) is m×k, op(B) is k×n; op(X) is X or Xᵀ, as `trans` says; for
//                  complex matrices also conj(X) or Xᴴ
//          a2, b2  the second pair of factors, with the same transpositions; or null. op(A2) is
//                  m×k2, op(B2) is k2×n
// in, out: c       m×n. If β = 0, c is overwritten: it is not read and may hold NaN
//
// Grid: x and y together number the tiles of C. z is item·splits + split, where item is the number
// of a product in the batch, and split is the number of a part of the inner dimension. The factors
// of an item begin stride_a and stride_b elements after the factors of the previous item. a2 and b2
// are allowed only for a batch of one. A split multiplies the part [split·stretch,
// (split+1)·stretch) of each inner dimension. The result of z begins at c + z·stride_c.
//
//	splits = 1   stretch ≥ k, k2; c receives the result of each item of the batch
//	splits > 1   c is a workspace that receives a partial product for each z; α must be 1, β 0
//
// m, n and k need not be multiples of the tile. Padding (rows past m) is neither read nor written.
// A NaN in a factor makes the elements of C that depend on it NaN, whatever α is. No C may overlap
// another C, A or B. m = 0 or n = 0 must not be dispatched. If k = 0, the result is C ← β·C.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "tile.glsl"
#include "tile_order.glsl"
#include "tile_factor.glsl"
#include "tile_product.glsl"

layout(push_constant, scalar) uniform Push {
	MatrixIn a, b;
	MatrixInOut c;
	// stride_a and stride_b are the distances, in elements, from the factors of one product of the
	// batch to those of the next. stride_c is the distance from one result to the next.
	uint64_t stride_a, stride_b, stride_c;
	// alpha and beta are the factors α and β, any finite numbers.
	real_bits_t alpha, beta;
	// m, n and k are the sizes of the product, m and n at least 1. The leading dimensions lda, ldb
	// and ldc are at least the number of stored rows.
	uint m, n, k, lda, ldb, ldc;
	// If the bit TRANS_A of `trans` is set, op(A) = Aᵀ; otherwise op(A) = A. If the bit CONJ_A is
	// set, op(A) is then conjugated, which changes nothing for real numbers. The bits TRANS_B and
	// CONJ_B say the same of B. k2 is the inner dimension of the second pair of factors.
	uint trans, k2;
	// The inner dimensions k and k2 are split into `splits` parts, at least 1. `stretch` is the
	// length of a part, and splits·stretch ≥ k, k2.
	uint splits, stretch;
	// a2 and b2 are the second pair of factors, or null if there is no second pair. lda2 and ldb2
	// are their leading dimensions.
	MatrixIn a2, b2;
	uint lda2, ldb2;
} p;

#pragma host TRANS_A
const uint TRANS_A = 1;
#pragma host TRANS_B
const uint TRANS_B = 2;
#ifdef COMPLEX
#pragma host CONJ_A
const uint CONJ_A = 4;
#pragma host CONJ_B
const uint CONJ_B = 8;
#endif

// left returns the rows of the left factor op(A) that belong to the tile of the result whose first
// element is (i0, j0). The function `right` returns the columns of the right factor op(B) that
// belong to this tile.
Factor left(uint64_t a, uint lda, uint i0) {
	return (p.trans & TRANS_A) == 0 ? Factor(element(a, i0, 0, lda), lda, p.m - i0, ALONG, 0)
	                      : Factor(element(a, 0, i0, lda), lda, p.m - i0, ACROSS, 0);
}

Factor right(uint64_t b, uint ldb, uint j0) {
	return (p.trans & TRANS_B) == 0 ? Factor(element(b, 0, j0, ldb), ldb, p.n - j0, ACROSS, 0)
	                      : Factor(element(b, j0, 0, ldb), ldb, p.n - j0, ALONG, 0);
}

void main() {
	uint rows = (p.m + TILE_M - 1) / TILE_M, cols = (p.n + TILE_N - 1) / TILE_N;
	uint index = workgroup();
	if (index >= rows * cols) return;
	uvec2 tile = swath_tile(index, rows, cols);
	uint i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;
	uint z = gl_WorkGroupID.z, item = z / p.splits, split = z % p.splits;

	uint64_t a = element(uint64_t(p.a), item * p.stride_a, 0, 0);
	uint64_t b = element(uint64_t(p.b), item * p.stride_b, 0, 0);
	uint first = split * p.stretch, inner = p.k;
	clear_acc();
	conjugate_factors((p.trans & CONJ_A) != 0, (p.trans & CONJ_B) != 0);
	uint lda = p.lda, ldb = p.ldb;
	uint pairs = uint64_t(p.a2) == 0ul ? 1 : 2;
	[[dont_unroll]] for (uint pair = 0; pair < pairs; pair++) {
		tile_product(left(a, lda, i0), right(b, ldb, j0), first, min(inner, first + p.stretch));
		a = uint64_t(p.a2), b = uint64_t(p.b2);
		lda = p.lda2, ldb = p.ldb2, inner = p.k2;
	}

	MatrixInOut c = MatrixInOut(element(uint64_t(p.c), z * p.stride_c + i0, j0, p.ldc));
	real_t alpha = REAL(p.alpha), beta = REAL(p.beta);
	bool add = REAL(p.beta) != 0;
	[[unroll]] for (uint s = 0; s < THREAD_N; s++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint i = tile_row(r), j = tile_col(s);
			if (i0 + i >= p.m || j0 + j >= p.n) continue;
			uint at = i + j * p.ldc;
			acc_t x = alpha * acc[s * THREAD_M + r];
			if (add) x += beta * acc_t(c.at[at]);
			c.at[at] = scalar_t(x);
		}
	}
}
