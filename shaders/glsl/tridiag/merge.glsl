// This header declares the merges of one level of divide and conquer, as the host describes them.
// It also computes where the matrices of a merge lie in memory.
//
// The kernels stedc_* and bdsdc_leaf include this header, after a numerics header. The header
// includes index.glsl, and defines Merge, the buffer types of the kernels, and functions that
// return offsets.
//
// The numbers of a merge (poles, weights, roots, …) are elements [lo, lo + n) of the level's
// arrays. Its matrices lie in two buffers: one for the blocks of Q, one for W and S. Offsets count
// elements from the beginning of the buffer:
//
//	Q1 (n1×n1), Q2 (n2×n2)     one after the other, at offset `at` of the first buffer
//	W, at offset `work` of     the columns of Q that are not deflated, after their rotations, in
//	  the second buffer        halves: upper W (n1×upper), then lower W (n2×(k − lower));
//	                           then the deflated columns (n×(n − k))
//	S (k×(to − from))          after W
//	merged Q (n×n)             at offset `at` of the first buffer, over Q1 and Q2
//
// n2 = n − n1. The columns before number k of W are not deflated, and upper and lower are defined
// at the struct Merge. [from, to) is the range of columns of S that are wanted. All matrices are
// packed: their leading dimension is their number of rows.
#ifndef MERGE_GLSL
#define MERGE_GLSL
#include "index.glsl"

struct Merge {
	// lo is the first row and column of the merge in T. n1 is the number of rows of the upper
	// block, and n is the number of rows of both blocks together.
	uint lo, n1, n;
	uint k;         // number of poles that remain after deflation
	// The first k columns of W are not eigenvectors yet (not deflated). Of these, columns [0,
	// upper) can have nonzero elements in the rows of the upper block, and columns [lower, k) in
	// the rows of the lower block.
	uint upper, lower;
	uint from, to;  // the wanted columns of S are [from, to)
	// `at` is the offset of the vectors of the two blocks, and of the vectors of the merged block,
	// which overwrite them. `work` is the offset of the rotated vectors W. Both are 64-bit numbers,
	// low word first.
	uint at[2], work[2];
};

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Merges { Merge at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer Reals { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Ints { int at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) writeonly buffer RealsOut { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer RealsInOut { real_t at[]; };

uint64_t wide(uint words[2]) { return packUint2x32(uvec2(words[0], words[1])); }

// at_q returns the offset of the vectors of the upper block, which is also that of the vectors of
// the merged block. The functions below return the offsets of the vectors of the lower block, of
// the upper and the lower half of the rotated vectors W, of the deflated columns, and of S, the
// vectors of the secular equation.
uint64_t at_q(Merge m) { return wide(m.at); }
uint64_t at_lower_q(Merge m) { return wide(m.at) + uint64_t(m.n1) * m.n1; }
uint64_t at_upper_w(Merge m) { return wide(m.work); }
uint64_t at_lower_w(Merge m) { return at_upper_w(m) + uint64_t(m.n1) * m.upper; }
uint64_t at_deflated(Merge m) { return at_lower_w(m) + uint64_t(m.n - m.n1) * (m.k - m.lower); }
uint64_t at_s(Merge m) { return at_deflated(m) + uint64_t(m.n) * (m.n - m.k); }

#endif
