// This header loads the rows of T for Sturm counts into shared memory, TILE rows at a time.
//
// stebz.comp and stebz_narrow.comp include this header, after sturm.glsl and the declarations of
// LOCAL_SIZE and TILE. The header defines fetch.
#ifndef STURM_ROWS_GLSL
#define STURM_ROWS_GLSL

layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Rows { Row at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Starts { Start at[]; };

shared Row tile[TILE];

// `resident` is the first row of T in `tile`, or NOTHING.
const uint NOTHING = 0xffffffffu;

// fetch loads the rows [from, from + len) of T to `tile`, and replaces each e² that is smaller than
// `least` by `least`. If `resident` is `from`, fetch does nothing, so that a matrix that fits in
// the tile is loaded once for all counts. All invocations of the workgroup must call fetch, in
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
