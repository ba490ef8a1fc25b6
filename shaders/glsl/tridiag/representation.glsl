// Relatively robust representations L·D·Lᵀ of blocks of a tridiagonal matrix, as
// package ref explains them: where they lie, and who asks them what.
//
// Row r of a representation is the pair (d, l) at element slot + r·ld; that of
// the roots has ld = 2, and slot ROOT stands for 0. After the numerics header.
#ifndef REPRESENTATION_GLSL
#define REPRESENTATION_GLSL
#include "index.glsl"
#include "scale.glsl"

// A task is one eigenvalue, index, of the block of rows [lo, hi).
struct Task { uint lo, hi, slot, index, sharp; };

const uint ROOT = 0xffffffffu; // is a slot

struct Pair { real_t d, l; };

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Tasks { Task at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) buffer Pairs { Pair at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer WordsInOut { uint at[]; };

// What tells a driver to use registers.
#define AHEAD 4

struct Representation { uint64_t base, stride; uint n; };

Representation representation(uint64_t reps, Task t, uint slot, uint ld) {
	return Representation(element(reps, slot == ROOT ? 0 : slot, t.lo, ld), uint64_t(ld) * REAL_BYTES, t.hi - t.lo);
}

// pair is row i, the last for any row behind it: rows are asked for ahead of their use.
Pair pair(Representation r, uint i) { return Pairs(r.base + r.stride * min(i, r.n - 1)).at[0]; }

#include "ulp.glsl"

work_t tiny() { return power_of_two(-300); }

work_t infinity() { return packDouble2x32(uvec2(0u, 0x7ff00000u)); }

// count is how many eigenvalues lie below x.
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
