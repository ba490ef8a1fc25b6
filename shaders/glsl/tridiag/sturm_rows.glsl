// The rows of T for Sturm counts, through shared memory, TILE at a time. After
// sturm.glsl, LOCAL_SIZE and TILE.
#ifndef STURM_ROWS_GLSL
#define STURM_ROWS_GLSL

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Rows { Row at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Starts { Start at[]; };

shared Row tile[TILE];

const uint NOTHING = 0xffffffffu; // is resident

// fetch brings len rows from `from` on into the tile, if they are not there already, with e² not
// below least. To be called by all. Between two counts of few rows the tile stays where it is.
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
