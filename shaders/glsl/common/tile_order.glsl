// In which order workgroups take the tiles of a matrix.
#ifndef TILE_ORDER_GLSL
#define TILE_ORDER_GLSL

// Workgroups that run at the same time should share rows and columns, for the
// sake of the cache: tiles are numbered in swaths of this many rows, column by
// column inside.
const uint SWATH = 8;

// swath_tile is tile number index of rows×cols.
uvec2 swath_tile(uint index, uint rows, uint cols) {
	uint first = index / (SWATH * cols) * SWATH;
	uint height = min(SWATH, rows - first);
	uint rest = index - first * cols;
	return uvec2(first + rest % height, rest / height);
}

// triangle is the number of tiles in the first rows of a lower triangle.
uint triangle(uint rows) { return rows * (rows + 1) / 2; }

// lower_tile is tile number index of the lower triangle of rows×rows tiles. A
// swath is a rectangle and, at its end, a triangle on the diagonal.
uvec2 lower_tile(uint index, uint rows) {
	// The row r has triangle(r) ≤ index < triangle(r + 1); the root lies half
	// a row or more above r, further than rounding reaches.
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
