// This header defines the order in which workgroups take the tiles of a matrix.
//
// Kernels that give each workgroup a tile include this header. The header defines swath_tile, for a
// rectangle of tiles, and lower_tile and triangle, for the lower triangle of a square. The header
// needs no other header.
#ifndef TILE_ORDER_GLSL
#define TILE_ORDER_GLSL

// A swath is SWATH neighbouring rows of tiles. Workgroups that run at the same time should use the
// same rows and columns of the factors, so that these are in the cache. Tiles are therefore
// numbered swath by swath, and column by column inside a swath. If a kernel defines SWATH_ID, SWATH
// is a specialization constant with this id.
#ifdef SWATH_ID
layout(constant_id = SWATH_ID) const uint SWATH = 8;
#else
const uint SWATH = 8;
#endif

// swath_tile returns the row and the column of tile number `index` among rows×cols tiles. The tiles
// are numbered swath by swath, where a swath is some neighbouring rows of tiles.
uvec2 swath_tile(uint index, uint rows, uint cols) {
	uint first = index / (SWATH * cols) * SWATH;
	uint height = min(SWATH, rows - first);
	uint rest = index - first * cols;
	return uvec2(first + rest % height, rest / height);
}

// triangle returns the number of tiles in the first `rows` rows of a lower triangle of tiles.
uint triangle(uint rows) { return rows * (rows + 1) / 2; }

// lower_tile returns the row and the column of tile number `index` in the lower triangle of
// rows×rows tiles. Some neighbouring rows of tiles form a swath. Within a swath, the tiles of the
// rectangle left of the diagonal come first, and then those of the triangle on the diagonal.
uvec2 lower_tile(uint index, uint rows) {
	// This code finds the row r of tile number `index` in a lower triangle: triangle(r) ≤ index <
	// triangle(r + 1). Because 2·index ≥ r·(r + 1), the number √(2·index) is above r by more than
	// 0.4 if r > 0. Rounding errors are smaller than 0.4. So the following search begins at row r
	// or after it.
	uint row = uint(sqrt(2.0 * float(index)));
	while (triangle(row) > index) row--;
	uint first = row / SWATH * SWATH;
	uint height = min(SWATH, rows - first);
	uint rest = index - triangle(first);
	if (rest < first * height) return uvec2(first + rest % height, rest / height);
	rest -= first * height;
	uint col = 0;
	for (; rest >= height - col; col++) rest -= height - col;
	return uvec2(first + col + rest, first + col);
}

#endif
