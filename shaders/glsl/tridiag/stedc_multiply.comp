// stedc_multiply computes the products of the merges of one level, Q = W·S, for the upper and the
// lower half, and for the wanted columns of S (LAPACK dlaed3).
//
//	Q[:n1, J] = W1 · S[:upper, J]      Q[n1:, J] = W2 · S[lower:, J]
//
// W1 and W2 are the parts of W for the upper and the lower half of Q. J is a set of columns.
// merge.glsl explains the numbers n1, upper, lower, from, to and lo.
//
// First form, if s is null: all merges, and all wanted columns J = [from, to).
//
// in:  merges
//      work    W and S, at the places that merge.glsl defines
// out: q       Q, at the place that merge.glsl defines
//
// Second form: one merge, and the wanted columns J = [from + first, from + first + columns).
//
// in:  merges
//      work    W1 at at_q, W2 at at_lower_q
//      s       columns J of S
//      place   place[lo + j] is the number of the vector in x for column j of Q
// out: x       column j of Q as a row: element i is x[place[lo + j] + (lo + i)·ldx]
//
// In the second form the rows of a tile are columns of Q, so that neighbouring invocations store to
// neighbouring elements. The sizes of the products need not be multiples of the tile. No two
// buffers may overlap. A NaN in W or S makes the elements of Q that depend on it NaN.
//
// Grid: x and y together number the tiles of the largest product; z is 2·merge + half.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "numerics.glsl"
#include "merge.glsl"
#include "product/tile.glsl"
#include "tile_order.glsl"
#include "product/tile_factor.glsl"
#include "product/tile_product.glsl"

layout(push_constant, scalar) uniform Push {
	Merges merges;
	Reals work;
	RealsOut q;
	Reals s;
	Ints place;
	RealsOut x;
	// These members are used only if the result is written to x. Then the kernel computes `columns`
	// of the wanted eigenvectors of a merge. `first` is the number of wanted eigenvectors before
	// the first computed one. ldx is the leading dimension of x.
	uint first, columns, ldx;
} p;

void main() {
	Merge m = p.merges.at[gl_WorkGroupID.z / 2];
	bool upper = gl_WorkGroupID.z % 2 == 0, turned = uint64_t(p.s) != 0ul;
	uint height = upper ? m.n1 : m.n - m.n1, inner = upper ? m.upper : m.k - m.lower;
	uint columns = turned ? p.columns : m.to - m.from;
	uint extent_m = turned ? columns : height, extent_n = turned ? height : columns;

	uint rows = (extent_m + TILE_M - 1) / TILE_M, cols = (extent_n + TILE_N - 1) / TILE_N;
	uint index = workgroup();
	if (index >= rows * cols) return;
	uvec2 tile = swath_tile(index, rows, cols);
	uint i0 = tile.x * TILE_M, j0 = tile.y * TILE_N;

	uint64_t w = uint64_t(p.work) + REAL_BYTES * (turned ? (upper ? at_q(m) : at_lower_q(m)) : (upper ? at_upper_w(m) : at_lower_w(m)));
	uint64_t s = turned ? uint64_t(p.s) : uint64_t(p.work) + REAL_BYTES * at_s(m);
	if (!upper) s += REAL_BYTES * m.lower;
	Factor a, b;
	if (turned) {
		a = Factor(element(s, 0, i0, m.k), m.k, extent_m - i0, ACROSS, 0);
		b = Factor(element(w, j0, 0, height), height, extent_n - j0, ALONG, 0);
	} else {
		a = Factor(element(w, i0, 0, height), height, extent_m - i0, ALONG, 0);
		b = Factor(element(s, 0, j0, m.k), m.k, extent_n - j0, ACROSS, 0);
	}
	clear_acc();
	tile_product(a, b, 0, inner);

	// The body of the following unrolled loops must be short. Otherwise a compiler might not unroll
	// the loops, and might put the array acc into memory instead of registers. NVIDIA's compiler
	// (580.159) did so when the outer loop had a `continue`; the products took 13 times as long.
	uint ld = turned ? p.ldx : m.n, row0 = upper ? 0 : m.n1;
	uint64_t base = turned ? element(uint64_t(p.x), 0, m.lo + row0 + j0, ld) : element(uint64_t(p.q), at_q(m) + row0 + i0, m.from + j0, ld);
	uint places[THREAD_M];
	[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
		places[r] = tile_row(r);
		if (turned) places[r] = p.place.at[m.lo + m.from + p.first + min(i0 + places[r], extent_m - 1)];
	}
	RealsOut to = RealsOut(base);
	[[unroll]] for (uint c = 0; c < THREAD_N; c++) {
		[[unroll]] for (uint r = 0; r < THREAD_M; r++) {
			uint j = tile_col(c);
			if (i0 + tile_row(r) >= extent_m || j0 + j >= extent_n) continue;
			to.at[places[r] + j * ld] = real_t(acc[c * THREAD_M + r]);
		}
	}
}
