// This header has the merges of one level of divide and conquer, as the host describes them, and
// the places of their matrices in memory.
//
// The kernels stedc_* include it, after a numerics header. It includes index.glsl, and defines
// Merge, the buffer types of the kernels, and functions that return offsets.
//
// The numbers of a merge (poles, weights, roots, …) are elements [lo, lo + n) of the level's
// arrays. Its matrices lie in two pieces of memory: one for the blocks of Q, one for W and S.
// Offsets count elements from the beginning of the piece:
//
//	Q1 (n1×n1), Q2 (n2×n2)     one after the other, at Q + at
//	W, at work:                the columns of Q that are not deflated, rotated, in halves:
//	                           upper W (n1×upper), then lower W (n2×(k − lower));
//	                           then the deflated columns (n×(n − k))
//	S (k×(to − from))          after W
//	merged Q (n×n)             at Q + at, over Q1 and Q2
//
// n2 = n − n1. All matrices are packed: their leading dimension is their number of rows.
#ifndef MERGE_GLSL
#define MERGE_GLSL
#include "index.glsl"

// A Merge describes one merge of divide and conquer. The host writes it.
struct Merge {
	// lo is the first row and column of the merge in T. n1 is the number of rows of the upper half,
	// and n that of both halves.
	uint lo, n1, n;
	uint k;         // poles that remain after deflation
	// The poles are numbered in the order of S's rows. The columns of [0, upper) have elements in
	// the upper half, those of [lower, k) in the lower half.
	uint upper, lower;
	uint from, to;  // the columns of S that are wanted
	// at is the offset of Q1 and of the merged Q. work is the offset of W. Both have the low word
	// first.
	uint at[2], work[2];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Merges { Merge at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer Reals { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Ints { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer RealsOut { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer RealsInOut { real_t at[]; };

// wide returns a 64-bit number from its two words.
uint64_t wide(uint words[2]) { return packUint2x32(uvec2(words[0], words[1])); }

// These functions return the offsets of element (0, 0) of Q1 and of the merged Q, of Q2, of both
// halves of W, of the deflated columns, and of S.
uint64_t at_q(Merge m) { return wide(m.at); }
uint64_t at_lower_q(Merge m) { return wide(m.at) + uint64_t(m.n1) * m.n1; }
uint64_t at_upper_w(Merge m) { return wide(m.work); }
uint64_t at_lower_w(Merge m) { return at_upper_w(m) + uint64_t(m.n1) * m.upper; }
uint64_t at_deflated(Merge m) { return at_lower_w(m) + uint64_t(m.n - m.n1) * (m.k - m.lower); }
uint64_t at_s(Merge m) { return at_deflated(m) + uint64_t(m.n) * (m.n - m.k); }

#endif
