// This header defines relatively robust representations L·D·Lᵀ of blocks of a tridiagonal matrix
// (see package mrrr in stages/tridiag). It computes their places in memory, and counts their
// eigenvalues.
//
// The kernels stemr_bisect, stemr_shift and stemr_vector include this header, after a numerics
// header. The header includes index.glsl and scale.glsl. The header defines Task, Representation,
// the buffer types of the kernels, and count.
//
// Row r of a representation is the pair (d, l), at element slot + r·ld of the array of
// representations. The root representations are an array of their own with ld = 2. Their slot is
// ROOT, which means an offset of 0.
#ifndef REPRESENTATION_GLSL
#define REPRESENTATION_GLSL
#include "index.glsl"
#include "scale.glsl"

// A Task is an eigenvalue of a representation of the block of rows [lo, hi). `index` is the number
// of the eigenvalue, counted from 0. `slot` says where the representation lies: row r of the block,
// lo ≤ r < hi, is at element slot + r·ld of the array of representations. If `sharp` ≠ 0, the
// eigenvalue is wanted to the last bits.
struct Task { uint lo, hi, slot, index, sharp; };

// ROOT takes the place of an offset (a slot) in a Task if the representation is that of a whole
// block. Such representations are in an array of their own.
#pragma host ROOT
const uint ROOT = 0xffffffffu;

// A Pair is a row of a representation L·D·Lᵀ: the element d of the diagonal D, and the element l of
// L below the diagonal.
struct Pair { real_t d, l; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Tasks { Task at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Pairs { Pair at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer WordsInOut { uint at[]; };

// AHEAD is the number of rows that an invocation loads before it uses the first of them. Loops over
// them are unrolled, so that compilers keep them in registers.
#define AHEAD 4

// A Representation is the place of a representation in memory: the address `base` of its first row,
// the distance `stride` between rows in bytes, and the number n of rows.
struct Representation { uint64_t base, stride; uint n; };

// representation returns the place of a representation in memory, for the block of task t. `reps`
// is the address of the array of representations, ld is its leading dimension, and `slot` is the
// representation's offset in it, or ROOT.
Representation representation(uint64_t reps, Task t, uint slot, uint ld) {
	return Representation(element(reps, slot == ROOT ? 0 : slot, t.lo, ld), uint64_t(ld) * REAL_BYTES, t.hi - t.lo);
}

// pair loads row i, or the last row if i lies past the last row. A caller that loads rows ahead of
// their use may ask for such a row.
Pair pair(Representation r, uint i) { return Pairs(r.base + r.stride * min(i, r.n - 1)).at[0]; }

#include "ulp.glsl"

// tiny returns the length below which bisection does not halve an interval any more.
work_t tiny() { return power_of_two(-300); }

work_t infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }

// count returns the number of eigenvalues below x: the number of negative pivots of the stationary
// transform with shift x. The operations give the same bits as those of package mrrr in
// stages/tridiag.
uint count(Representation r, work_t x) {
	uint found = 0;
	work_t s = -x;
	Pair next[AHEAD];
	[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, u);
	for (uint i = 0; i < r.n; i += AHEAD) {
		Pair now[AHEAD] = next;
		[[unroll]] for (uint u = 0; u < AHEAD; u++) next[u] = pair(r, i + AHEAD + u);
		[[unroll]] for (uint u = 0; u < AHEAD; u++) {
			if (i + u < r.n) {
				work_t d = now[u].d, l = now[u].l;
				work_t dp = d + s;
				if (dp < 0) found++;
				work_t t = s / dp;
				if (isnan(t)) t = 1;
				s = t * (l * (l * d)) - x;
				if (isnan(s)) s = -x;
			}
		}
	}
	return found;
}

#endif
