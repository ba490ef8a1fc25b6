// potrf_block computes the Cholesky factor L of a positive definite block, and the inverse of L
// (LAPACK dpotf2, dtrti2).
//
// complex
//
//	A = L·Lᵀ,  X = L⁻¹
//
// For complex numbers A is Hermitian, and Lᴴ takes the place of Lᵀ.
//
// in:      a      n×n. Only the lower triangle is read, without the imaginary parts of the diagonal
// out:     l, x   n×n, with zeros above the diagonal. They must not overlap. l may be a
// in, out: info   order of the first leading minor of the whole matrix that is not positive
//                 definite, or 0. It is only written if it was 0
//
// The pivot of column k must be positive and finite. Otherwise the leading minor of order k + 1 of
// the block is not positive definite, the kernel continues with the pivot 1, and L and X have no
// meaning.
//
// The matrix S holds both results in registers: S(i, j) is L(i, j) for i > j, and X(j, i) for i ≤
// j. At first S is the lower triangle of A, and zero above it. Step k divides column k of S by the
// root of the pivot; X(k, k) is the inverse of the root. Then column k of L and row k of X are
// finished, and are subtracted from the columns j > k of S:
//
//	S(i, j) ← S(i, j) − L(i, k)·conj(L(j, k))    i ≥ j
//	S(i, j) ← S(i, j) − X(k, i)·L(j, k)          i ≤ k
//
// The kernel takes EACH steps together, with two barriers. One invocation finishes the EACH
// elements of one row in these columns. For this it needs the factor of the EACH×EACH block on the
// diagonal, which every such invocation computes itself.
//
// The bounds of unrolled loops are constants, and the loop that stores S has no `continue`.
// Otherwise NVIDIA's compiler keeps S in memory, and the kernel takes more than twice as long.
//
// Grid: one workgroup.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "index.glsl"
#include "pivot.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Words { uint at[]; };

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of the workgroup, (ORDER / EACH)².
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// ORDER is the largest order of a block, a multiple of EACH.
layout(constant_id = 1) const uint ORDER = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn a;
	MatrixOut l, x;
	Words info;
	// n is the order of the block, 1 to ORDER. The leading dimensions are at least n. `before` is
	// the number of rows of the whole matrix before the block.
	uint n, lda, ldl, ldx, before;
} p;

// An invocation has EACH rows and EACH columns of S, which are SIDE rows and columns apart.
#pragma host EACH
const uint EACH = 4;
const uint SIDE = ORDER / EACH;

// `columns` has EACH columns of S before their steps, and `finished` has them afterwards. `roots`
// is the diagonal of L.
shared work_t columns[EACH * ORDER], finished[EACH * ORDER];
shared real_t roots[ORDER];

// `block` has the elements below the diagonal of the factor of the block on the diagonal.
// `inverses` has the inverses of the factor's diagonal elements.
work_t block[EACH * EACH];
real_t inverses[EACH];

// root returns the root of the pivot of column k, and sets `inverse` to its inverse.
real_t root(real_t pivot, uint k, out real_t inverse) {
	bool positive = pivot > real_t(0) && !isinf(pivot);
	if (!positive && k < p.n && gl_LocalInvocationIndex == 0 && p.info.at[0] == 0) p.info.at[0] = p.before + k + 1;
	return pivot_root(positive ? pivot : real_t(1), inverse);
}

// factor_block computes the factor of the EACH×EACH block whose first diagonal element is S(k, k).
void factor_block(uint k) {
	[[unroll]] for (uint c = 0; c < EACH; c++) {
		[[unroll]] for (uint d = 0; d < EACH; d++) {
			if (d >= c) {
				work_t x = columns[c * ORDER + k + d];
				[[unroll]] for (uint m = 0; m < EACH; m++) {
					if (m < c) x = mad(-block[d + m * EACH], conjugate(block[c + m * EACH]), x);
				}
				if (d == c) {
					real_t l = root(real_of(x), k + c, inverses[c]);
					if (gl_LocalInvocationIndex == 0) roots[k + c] = l;
				} else {
					block[d + c * EACH] = work_t(inverses[c] * x);
				}
			}
		}
	}
}

// finish_row takes the steps k to k + EACH − 1 for row i. It computes the row's elements in these
// columns.
void finish_row(uint i, uint k) {
	work_t x[EACH];
	[[unroll]] for (uint c = 0; c < EACH; c++) {
		x[c] = i >= k && i < k + c ? work_t(0) : columns[c * ORDER + i];
		bool below = i > k + c;
		[[unroll]] for (uint m = 0; m < EACH; m++) {
			if (m < c) {
				work_t factor = block[c + m * EACH];
				if (below) factor = conjugate(factor);
				if (below || i <= k + m) x[c] = mad(-x[m], factor, x[c]);
			}
		}
		x[c] = i == k + c ? of_real(inverses[c]) : work_t(inverses[c] * x[c]);
		finished[c * ORDER + i] = x[c];
	}
}

void main() {
	uint row = gl_LocalInvocationIndex % SIDE, col = gl_LocalInvocationIndex / SIDE;
	work_t s[EACH * EACH];
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint i = row + a * SIDE, j = col + b * SIDE;
			s[a + b * EACH] = work_t(0);
			if (j <= i && i < p.n) s[a + b * EACH] = real_if(i == j, work_t(p.a.at[i + j * p.lda]));
		}
	}

	for (uint k = 0; k < p.n; k += EACH) {
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			uint c = col + b * SIDE - k; // unsigned: a very large number for columns before k
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				if (c < EACH) columns[c * ORDER + row + a * SIDE] = s[a + b * EACH];
			}
		}
		barrier();

		if (gl_LocalInvocationIndex < ORDER) factor_block(k);
		for (uint i = gl_LocalInvocationIndex; i < ORDER; i += LOCAL_SIZE) finish_row(i, k);
		barrier();

		[[unroll]] for (uint b = 0; b < EACH; b++) {
			uint j = col + b * SIDE;
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				uint i = row + a * SIDE;
				if (j - k < EACH) s[a + b * EACH] = finished[(j - k) * ORDER + i];
				if (i - k < EACH && j >= k + EACH) s[a + b * EACH] = work_t(0); // here rows of X begin, which are zero at first
			}
		}
		[[unroll]] for (uint c = 0; c < EACH; c++) {
			// `left` is 0 for the rows i in which X(k + c, i) is 0. `right` is 0 for the columns
			// that are finished.
			work_t left[EACH], right[EACH];
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				uint i = row + a * SIDE, j = col + a * SIDE;
				left[a] = -finished[c * ORDER + i];
				if (i > k + c && i < k + EACH) left[a] = work_t(0);
				right[a] = finished[c * ORDER + j];
				if (j < k + EACH) right[a] = work_t(0);
			}
			[[unroll]] for (uint b = 0; b < EACH; b++) {
				[[unroll]] for (uint a = 0; a < EACH; a++) {
					work_t factor = right[b];
					if (row + a * SIDE >= col + b * SIDE) factor = conjugate(factor);
					s[a + b * EACH] = mad(left[a], factor, s[a + b * EACH]);
				}
			}
		}
	}

	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint i = row + a * SIDE, j = col + b * SIDE;
			work_t x = s[a + b * EACH];
			if (max(i, j) < p.n) {
				p.l.at[i + j * p.ldl] = scalar_t(i > j ? x : i == j ? of_real(roots[j]) : work_t(0));
				p.x.at[j + i * p.ldx] = scalar_t(i > j ? work_t(0) : x);
			}
		}
	}
}
