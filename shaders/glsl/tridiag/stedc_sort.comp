// float64 only
//
// stedc_sort writes columns of block diagonal matrices as rows, including the zeros outside of the
// blocks. Let c = order[j]. Then x[place[j] + r·ldx] becomes element r of column c, for 0 ≤ j < m
// and first ≤ r < first + rows.
//
//	columns ≠ null   q has rows [from, to) of column c, from element `at` on; other rows are 0.
//	                 columns[c] has the numbers from, to and `at`
//	columns = null   q has only the rows [first, first + rows) of column c, from element c·rows on
//	order = null     c = j
//
// A workgroup copies a TILE×TILE tile through shared memory, so that its loads are contiguous. Its
// stores are contiguous where place[j+1] = place[j] + 1. x must not overlap the inputs. m and rows
// need not be multiples of TILE. Values are copied unchanged.
//
// Grid: x covers the tiles along j, and y the tiles along r.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "merge.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LOCAL_SIZE = 64;
// TILE is the number of rows and columns of a tile, the block that a workgroup copies, at least 1.
layout(constant_id = 1) const uint TILE = 32;

// A Column is a column of a block in q: its rows [from, to), and the offset `at` of row `from`,
// with the low word first.
struct Column { uint from, to; uint at[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Columns { Column at[]; };

layout(push_constant, scalar) uniform Push {
	Reals q;
	Columns columns;
	Ints order, place;
	RealsOut x;
	// The kernel writes the rows [first, first + rows) of m columns. ldx is at least the number of
	// vectors in x.
	uint first, rows, m, ldx;
} p;

// Element (r, j) of a tile is tile[r + j·(TILE + 1)].
shared real_t tile[TILE * (TILE + 1)];

// value returns element r of column c of the block diagonal matrix, which is 0 outside of the
// blocks.
real_t value(uint c, uint r) {
	if (uint64_t(p.columns) == 0ul) return Reals(element(uint64_t(p.q), r - p.first, c, p.rows)).at[0];
	Column k = p.columns.at[c];
	if (r < k.from || r >= k.to) return real_t(0);
	return Reals(element(uint64_t(p.q), wide(k.at) + (r - k.from), 0, 0)).at[0];
}

void main() {
	uint j0 = gl_WorkGroupID.x * TILE, r0 = p.first + gl_WorkGroupID.y * TILE, end = p.first + p.rows;
	for (uint e = gl_LocalInvocationID.x; e < TILE * TILE; e += LOCAL_SIZE) {
		uint r = r0 + e % TILE, j = j0 + e / TILE;
		if (r < end && j < p.m) tile[(e / TILE) * (TILE + 1) + e % TILE] = value(uint64_t(p.order) == 0ul ? j : p.order.at[j], r);
	}
	barrier();
	for (uint e = gl_LocalInvocationID.x; e < TILE * TILE; e += LOCAL_SIZE) {
		uint j = j0 + e % TILE, r = r0 + e / TILE;
		if (r < end && j < p.m) RealsOut(element(uint64_t(p.x), p.place.at[j], r, p.ldx)).at[0] = tile[(e % TILE) * (TILE + 1) + e / TILE];
	}
}
