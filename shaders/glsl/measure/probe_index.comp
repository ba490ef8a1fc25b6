// probe_index returns the offsets of elements (index.glsl), the numbers of the workgroups of a
// folded grid (index.glsl), and the order of the tiles of a matrix (tile_order.glsl).
//
// in:  places   i, j, ld of each element, as 64-bit integers
// out: offsets  element(0, i, j, ld), in bytes
//      groups   at position w: w + 1, written by the workgroup with number w
//      lower    row and column of lower_tile(first + w, rows)
//      swath    row and column of swath_tile(first + w, rows, cols)
//
// The kernel is for tests: few machines have enough memory for a matrix in which a wrong offset
// would be seen. The outputs must not overlap the input or each other.
//
// Grid: one workgroup of one invocation per element, in x and y. Workgroups with a number of
// `count` or more write nothing.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_GOOGLE_include_directive : require
#include "numerics_f64.glsl"
#include "index.glsl"
#include "tile_order.glsl"

layout(local_size_x_id = 0) in;
// LOCAL_SIZE is the number of invocations of a workgroup: 1.
layout(constant_id = 0) const uint LOCAL_SIZE = 1;

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Places { uint64_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer Offsets { uint64_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Tiles { uint at[]; };

layout(push_constant, scalar) uniform Push {
	Places places;
	Offsets offsets, groups;
	Tiles lower, swath;
	// `count` is the number of elements. `first` is the number of the first tile. The matrix has
	// rows×cols tiles.
	uint count, first, rows, cols;
} p;

void main() {
	uint i = workgroup();
	if (i >= p.count) return;
	p.offsets.at[i] = element(0ul, p.places.at[3 * i], p.places.at[3 * i + 1], p.places.at[3 * i + 2]);
	p.groups.at[i] = i + 1;
	uvec2 tile = lower_tile(p.first + i, p.rows);
	p.lower.at[2 * i] = tile.x, p.lower.at[2 * i + 1] = tile.y;
	tile = swath_tile(p.first + i, p.rows, p.cols);
	p.swath.at[2 * i] = tile.x, p.swath.at[2 * i + 1] = tile.y;
}
