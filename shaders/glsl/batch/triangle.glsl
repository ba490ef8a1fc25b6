// This header loads one triangle of the matrix of a workgroup, scales it, and copies it to the other
// triangle.
//
// The kernels of batches that work on whole matrices in memory include this header after
// reduce.glsl, scaling.glsl, problem.glsl and meet.glsl, and after these declarations: LOCAL_SIZE, the
// matrix `a` of SharedReals, its order n, for complex numbers its BatchMatrix m, the number t of the
// invocation, and the shared memory `tile` of TILE·(TILE + 1) entries. Every invocation of the
// workgroup must call the functions.
#ifndef TRIANGLE_GLSL
#define TRIANGLE_GLSL

// largest returns the largest magnitude of an entry in the stored triangle, or −1 if an entry is
// not finite.
real_t largest(bool upper) {
	real_t most = 0.0, bad = 0.0;
	for (uint j = 0; j < n; j++) {
		uint from = upper ? 0 : j, to = upper ? j + 1 : n;
		for (uint i = from + t; i < to; i += LOCAL_SIZE) {
			scalar_t x = given(m, a.at[j * n + i], i, j);
			if (!finite(x)) bad = 1.0;
			most = max(most, entry_magnitude(x));
		}
	}
	bad = group_max(bad);
	most = group_max(bad > 0.0 ? 0.0 : most);
	return bad > 0.0 ? -1.0 : most;
}

// mirror writes the stored triangle, times `scale`, to both triangles, or zeros if `zero` is true.
void mirror(bool upper, scale_t scale, bool zero) {
	uint tiles = (n + TILE - 1) / TILE;
	for (uint ti = 0; ti < tiles; ti++) {
		for (uint tj = 0; tj <= ti; tj++) {
			uint row = (upper ? tj : ti) * TILE, col = (upper ? ti : tj) * TILE;
			for (uint x = t; x < TILE * TILE; x += LOCAL_SIZE) {
				uint i = row + x % TILE, j = col + x / TILE;
				bool ours = i < n && j < n && (upper ? i <= j : i >= j);
				if (ours) tile[x / TILE * (TILE + 1) + x % TILE] = zero ? scalar_t(0) : entry_scaled(given(m, a.at[j * n + i], i, j), scale);
			}
			barrier();
			for (uint x = t; x < TILE * TILE; x += LOCAL_SIZE) {
				uint r = x % TILE, c = x / TILE;
				uint i = row + r, j = col + c;
				if (i < n && j < n && (upper ? i <= j : i >= j)) a.at[j * n + i] = tile[c * (TILE + 1) + r];
				i = col + r, j = row + c; // the mirror image
				if (i < n && j < n && (upper ? i > j : i < j)) a.at[j * n + i] = conjugate(tile[r * (TILE + 1) + c]);
			}
			meet();
		}
	}
}

#endif
