// This header deals with relatively robust representations L·D·Lᵀ of blocks of a tridiagonal matrix
// (see package mrrr in stages/tridiag): it finds them in memory, and counts their eigenvalues.
//
// The kernels stemr_bisect, stemr_shift and stemr_vector include it, after a numerics header. It
// includes index.glsl and scale.glsl. It defines Task, Representation, the buffer types of the
// kernels, and count.
//
// Row r of a representation is the pair (d, l), at element slot + r·ld. The representations of the
// roots are one array with ld = 2 and are named by the slot ROOT, which means offset 0.
#ifndef REPRESENTATION_GLSL
#define REPRESENTATION_GLSL
#include "index.glsl"
#include "scale.glsl"

// A Task is eigenvalue number index of the block of rows [lo, hi), in the representation at slot.
// If sharp ≠ 0, the eigenvalue is wanted to the last bits.
struct Task { uint lo, hi, slot, index, sharp; };

// ROOT is the slot of the root representations.
#pragma host ROOT
const uint ROOT = 0xffffffffu;

// A Pair is a row of a representation: element d of D, and element l of L that couples it to the
// next row.
struct Pair { real_t d, l; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Tasks { Task at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Pairs { Pair at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer WordsInOut { uint at[]; };

// AHEAD is the number of rows that are loaded ahead of their use. Loops over them are unrolled, so
// that compilers keep the rows in registers.
#define AHEAD 4

// A Representation has the address of its first row, the distance from one row to the next in bytes
// (stride), and the number n of its rows.
struct Representation { uint64_t base, stride; uint n; };

// representation returns the representation at `slot` of the block of task t.
Representation representation(uint64_t reps, Task t, uint slot, uint ld) {
	return Representation(element(reps, slot == ROOT ? 0 : slot, t.lo, ld), uint64_t(ld) * REAL_BYTES, t.hi - t.lo);
}

// pair returns row i, or the last row if i is past it. A caller that loads rows ahead of their use
// may go past the end.
Pair pair(Representation r, uint i) { return Pairs(r.base + r.stride * min(i, r.n - 1)).at[0]; }

#include "ulp.glsl"

// tiny is a length below which intervals are not halved.
work_t tiny() { return power_of_two(-300); }

work_t infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }

// count returns the number of eigenvalues below x, which is the number of negative pivots of the
// stationary transform. Its operations have the same bits as those of package mrrr.
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
