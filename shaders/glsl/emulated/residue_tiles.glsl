// This header defines the tiles of an emulated product, and how their residues lie in memory.
//
// The kernels that multiply planes, and emulated_update, include this header after index.glsl. The
// header declares specialization constants 3 to 7 and defines tile_corner, WordsIn and WordsOut.
//
// A workgroup computes a tile of TILE_M×TILE_N elements of the result. A tile consists of fragments
// of FRAG_M×FRAG_N elements. A dispatch computes the tiles [first, first + count). The tiles are
// numbered in swaths (tile_order.glsl) over the whole result, or over its lower triangle.
//
// The residues of these tiles modulo one modulus are bytes. The tiles lie one after another. The
// fragments of a tile lie column by column. The elements of a fragment lie in the order in which
// the invocations of a subgroup hold them, which depends on the device (ORDER in
// emulated_update.comp). One word has four elements of one invocation.
#ifndef RESIDUE_TILES_GLSL
#define RESIDUE_TILES_GLSL

layout(constant_id = 3) const uint TILE_M = 128;
layout(constant_id = 4) const uint TILE_N = 128;
layout(constant_id = 5) const uint FRAG_M = 16;
layout(constant_id = 6) const uint FRAG_N = 16;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer WordsIn { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer WordsOut { uint at[]; };

const uint TILE_WORDS = TILE_M * TILE_N / 4, FRAG_WORDS = FRAG_M * FRAG_N / 4;

#define SWATH_ID 7
#include "tile_order.glsl"

// tile_corner returns the row and the column of the first element of tile number `index` of a
// result of rows×cols elements. If `lower` is true, only tiles of the lower triangle are numbered.
// They are grouped into squares, whose side is the larger of TILE_M and TILE_N; the smaller one
// divides it.
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
