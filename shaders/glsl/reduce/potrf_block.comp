// potrf_block computes the Cholesky factor L of a positive definite block, and the inverse of L (LAPACK
// dpotf2, dtrti2).
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
#include "reflector.glsl"

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

// `column` has two columns of S, for even and for odd steps, so that one barrier for each step is
// enough. `roots` is the diagonal of L.
shared work_t column[2 * ORDER];
shared real_t roots[ORDER];

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

	for (uint k = 0; k < p.n; k++) {
		uint at = k % 2 * ORDER;
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			if (col + b * SIDE != k) continue;
			[[unroll]] for (uint a = 0; a < EACH; a++) column[at + row + a * SIDE] = s[a + b * EACH];
		}
		barrier();

		real_t pivot = real_of(column[at + k]);
		bool positive = pivot > real_t(0) && !isinf(pivot);
		if (!positive && gl_LocalInvocationIndex == 0 && p.info.at[0] == 0) p.info.at[0] = p.before + k + 1;
		pivot = positive ? pivot : real_t(1);
		// q is the pivot times an even power of two, and lies near 1. `root` becomes √q.
		int e = (exponent_of(pivot) + 1) >> 1;
		real_t q = pivot * power_of_two(-e) * power_of_two(-e), inverse = inverse_root(q), root = q * inverse;
		root = fma(fma(-root, root, q), real_t(0.5) * inverse, root); // a Newton step
		inverse *= power_of_two(-e);
		if (gl_LocalInvocationIndex == 0) roots[k] = root * power_of_two(e);

		work_t left[EACH], right[EACH];
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint i = row + a * SIDE;
			left[a] = i == k ? of_real(inverse) : work_t(inverse * column[at + i]);
			right[a] = inverse * column[at + col + a * SIDE];
		}
		[[unroll]] for (uint b = 0; b < EACH; b++) {
			[[unroll]] for (uint a = 0; a < EACH; a++) {
				uint i = row + a * SIDE, j = col + b * SIDE;
				bool below = i >= j;
				work_t factor = right[b];
				if (below) factor = conjugate(factor);
				if (j == k) s[a + b * EACH] = left[a];
				if (j > k && (below || i <= k)) s[a + b * EACH] = mad(-left[a], factor, s[a + b * EACH]);
			}
		}
	}

	barrier();
	[[unroll]] for (uint b = 0; b < EACH; b++) {
		[[unroll]] for (uint a = 0; a < EACH; a++) {
			uint i = row + a * SIDE, j = col + b * SIDE;
			if (max(i, j) >= p.n) continue;
			p.l.at[i + j * p.ldl] = scalar_t(i > j ? s[a + b * EACH] : i == j ? of_real(roots[j]) : work_t(0));
			p.x.at[j + i * p.ldx] = scalar_t(i > j ? work_t(0) : s[a + b * EACH]);
		}
	}
}
