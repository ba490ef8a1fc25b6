// The tiles of an emulated product, and how their residues lie in memory.
//
// The kernels that multiply planes, and the one that puts residues together, include this header,
// after index.glsl. It declares specialisation constants 3 to 8 and defines tile_corner and Words.
//
// A workgroup makes a tile of TILE_M×TILE_N elements of the result, as fragments of FRAG_M×FRAG_N.
// A dispatch makes the tiles [first, first + count), numbered in swaths over the whole result, or
// over the lower triangle. The residues modulo one number of these tiles are bytes: tile after
// tile, its fragments column by column, and the elements of a fragment in the order in which the
// invocations of a subgroup hold them: four elements of one invocation are one word. Which elements
// these are depends on the device (ORDER).
#ifndef RESIDUE_TILES_GLSL
#define RESIDUE_TILES_GLSL

// Size of a tile.
layout(constant_id = 3) const uint TILE_M = 128;
layout(constant_id = 4) const uint TILE_N = 128;
// Size of a fragment.
layout(constant_id = 5) const uint FRAG_M = 16;
layout(constant_id = 6) const uint FRAG_N = 16;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer WordsIn { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer WordsOut { uint at[]; };

const uint TILE_WORDS = TILE_M * TILE_N / 4, FRAG_WORDS = FRAG_M * FRAG_N / 4;

#define SWATH_ID 7
#include "tile_order.glsl"

// tile_corner returns the row and the column of the first element of tile number index. rows and
// cols are the size of the result. lower: the tiles are those of the lower triangle, in squares of
// the larger of TILE_M and TILE_N, which the other one divides.
uvec2 tile_corner(uint index, uint rows, uint cols, bool lower) {
	if (lower) {
		const uint square = max(TILE_M, TILE_N), down = square / TILE_M, parts = down * (square / TILE_N);
		uvec2 at = lower_tile(index / parts, (rows + square - 1) / square) * square;
		uint part = index % parts;
		return at + uvec2(part % down * TILE_M, part / down * TILE_N);
	}
	return swath_tile(index, (rows + TILE_M - 1) / TILE_M, (cols + TILE_N - 1) / TILE_N) * uvec2(TILE_M, TILE_N);
}

#endif
