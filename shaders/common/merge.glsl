// The merges of one level of divide and conquer, as the host describes them.
// A merge's poles, weights and roots stand at elements [lo, lo + k) of the
// level's arrays; its columns of Q, W and S start at column lo.
#ifndef MERGE_GLSL
#define MERGE_GLSL
#include "index.glsl"

struct Merge {
	uint lo, n1, n; // first row and column; rows of the upper half; rows of both
	uint k;         // poles, after deflation
	uint upper, lower; // columns of W: [0, upper) reach into the upper half, [lower, k) into the lower
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Merges { Merge at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Reals { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Ints { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer RealsOut { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer IntsOut { int at[]; };

#endif
