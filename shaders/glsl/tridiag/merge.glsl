// The merges of one level of divide and conquer, as the host describes them, and where
// their matrices lie.
//
// Numbers of a merge (poles, weights, roots …) stand at elements [lo, lo + n) of the
// level's arrays. Offsets of matrices are counted in elements from the beginning of
// two pieces of memory: that of the blocks of Q, and that of work.
//
//	Q1 (n1×n1), Q2 (n2×n2)     one behind the other at Q + at
//	W, work + work:            the columns of Q that are not deflated, rotated; half by half:
//	  upper W (n1×upper), lower W (n2×(k − lower)), then deflated columns (n×(n − k))
//	S (k×(to − from))          behind W
//	merged Q (n×n)             at Q + at, over Q1 and Q2
//
// n2 = n − n1; each is packed, its leading dimension is its number of rows.
#ifndef MERGE_GLSL
#define MERGE_GLSL
#include "index.glsl"

struct Merge {
	uint lo, n1, n; // first row and column; rows of the upper half; rows of both
	uint k;         // poles, after deflation
	uint upper, lower; // poles in the order of S's rows: [0, upper) reach into the upper half, [lower, k) into the lower
	uint from, to;     // columns of S that are wanted
	uint at[2], work[2]; // offsets, the low word first
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Merges { Merge at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Reals { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Ints { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer RealsOut { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer RealsInOut { real_t at[]; };

uint64_t wide(uint words[2]) { return packUint2x32(uvec2(words[0], words[1])); }

// Offsets of element (0, 0).
uint64_t at_q(Merge m) { return wide(m.at); }
uint64_t at_lower_q(Merge m) { return wide(m.at) + uint64_t(m.n1) * m.n1; }
uint64_t at_upper_w(Merge m) { return wide(m.work); }
uint64_t at_lower_w(Merge m) { return at_upper_w(m) + uint64_t(m.n1) * m.upper; }
uint64_t at_deflated(Merge m) { return at_lower_w(m) + uint64_t(m.n - m.n1) * (m.k - m.lower); }
uint64_t at_s(Merge m) { return at_deflated(m) + uint64_t(m.n) * (m.n - m.k); }

#endif
