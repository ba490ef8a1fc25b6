// larft_rows computes the triangular factor T of a product of n reflectors (LAPACK dlarft), and
// multiplies the rows of two matrices by T.
//
// complex
//
//	H0·H1⋯ = I − Y·T·Yᵀ     T⁻¹ = D⁻¹ + U
//	above ← T     r1 ← −S1·T     r2 ← −S2·T
//
// D = diag(τ), and U is the strictly upper triangle of G = Yᵀ·Y; for complex numbers Yᴴ takes the
// place of Yᵀ. A row x = s·T is the solution of x·T⁻¹ = s. Forward substitution finds it: x_j =
// τ_j·(s_j − Σ x_l·G_lj), where the sum is over l < j. T itself is the solution for the rows s of
// the identity matrix. If τ_j = 0, then x_j = 0.
//
// in:  g        n×n. Only the part above the diagonal is used; all other elements may be NaN
//      tau      n factors τ
//      s1, s2   rows1×n and rows2×n
// out: t        n×n, with zeros below the diagonal
//      above    n×n, a second copy of T
//      r1, r2   rows1×n and rows2×n
//
// An output must not overlap an input or another output. An invocation computes one element of a
// row.
//
// Grid: enough workgroups for n + rows1 + rows2 rows. A workgroup has ROWS rows.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#include "numerics.glsl"
#include "index.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup, a multiple of COLUMNS.
layout(constant_id = 0) const uint LOCAL_SIZE = 32;
// COLUMNS is the number of invocations for one row, at least n.
layout(constant_id = 1) const uint COLUMNS = 32;

layout(push_constant, scalar) uniform Push {
	MatrixIn g, tau, s1, s2;
	MatrixOut t, above, r1, r2;
	// n is the number of reflectors, at least 1. Each leading dimension is at least the number of
	// rows of its matrix: ldg is that of g, and so on.
	uint n, ldg, ldt, ld_above;
	uint rows1, lds1, ldr1;
	uint rows2, lds2, ldr2;
} p;

const uint ROWS = LOCAL_SIZE / COLUMNS;

// `solved` has the newest element of each row. Two columns are used in turn, so that no invocation
// overwrites an element that another one still reads.
shared acc_t solved[2 * ROWS];

void main() {
	uint at = gl_LocalInvocationIndex, line = at / COLUMNS, j = at % COLUMNS;
	uint row = workgroup() * ROWS + line;
	uint row1 = row - p.n, row2 = row1 - p.rows1; // unsigned: a very large number if the row lies before S1 or S2
	bool identity = row < p.n, first = !identity && row1 < p.rows1, second = !identity && !first && row2 < p.rows2;
	bool column = j < p.n;

	acc_t s = acc_t(0), tau = acc_t(0);
	if (column) {
		tau = acc_t(p.tau.at[j]);
		if (identity) s = of_real(real_t(row == j ? 1 : 0));
		if (first) s = acc_t(p.s1.at[row1 + j * p.lds1]);
		if (second) s = acc_t(p.s2.at[row2 + j * p.lds2]);
	}
	acc_t next = column && j > 0 ? acc_t(p.g.at[j * p.ldg]) : acc_t(0); // element (l, j) of G
	for (uint l = 0; l < p.n; l++) {
		if (j == l) {
			multiply_by(s, tau);
			solved[(l & 1) * ROWS + line] = s;
		}
		acc_t gram = next;
		if (column && j > l + 1) next = acc_t(p.g.at[l + 1 + j * p.ldg]);
		barrier();
		if (column && j > l) s = mad(-solved[(l & 1) * ROWS + line], gram, s);
	}
	if (!column) return;
	if (identity) {
		p.t.at[row + j * p.ldt] = scalar_t(s);
		p.above.at[row + j * p.ld_above] = scalar_t(s);
	}
	if (first) p.r1.at[row1 + j * p.ldr1] = scalar_t(-s);
	if (second) p.r2.at[row2 + j * p.ldr2] = scalar_t(-s);
}
