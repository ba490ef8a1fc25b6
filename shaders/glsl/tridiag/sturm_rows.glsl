// The rows of T for Sturm counts, staged in shared memory, TILE at a time.
//
// stebz.comp and stebz_narrow.comp include this header, after sturm.glsl and the declarations of
// LOCAL_SIZE and TILE. It defines fetch.
#ifndef STURM_ROWS_GLSL
#define STURM_ROWS_GLSL

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Rows { Row at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Starts { Start at[]; };

// The rows that fetch has loaded.
shared Row tile[TILE];

// No rows are in the tile.
const uint NOTHING = 0xffffffffu;

// fetch loads len rows, from row `from` on, to the tile, with e² replaced by least where it is
// smaller. If they are in the tile already (resident == from), it does nothing: so a matrix that
// fits the tile is loaded once for all counts. All invocations of the workgroup must call it, in
// uniform control flow.
void fetch(Rows rows, uint from, uint len, work_t least, inout uint resident) {
	if (resident == from) return;
	barrier();
	for (uint i = gl_LocalInvocationIndex; i < len; i += LOCAL_SIZE) {
		Row row = rows.at[from + i];
		tile[i] = Row(row.d, max(row.e2, least));
	}
	barrier();
	resident = from;
}

#endif
