// The merges of one level of divide and conquer, as the host describes them.
// A merge's poles, weights and roots stand at elements [lo, lo + k) of the
// level's arrays; its columns of Q, W and S start at column lo.
#ifndef MERGE_GLSL
#define MERGE_GLSL

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

// element is the address of element (row, col) of a matrix of doubles.
uint64_t element(uint64_t base, uint64_t row, uint64_t col, uint64_t ld) { return base + 8ul * (row + col * ld); }

#endif
