// This header computes a step of bulge chasing. The blocks of the step lie in the registers of
// clusters of invocations.
//
// sb2st.comp, tb2bd.comp and tb2tb.comp include this header, after reflector.glsl and after the
// specialization constants B, TILES, LANES and WORK. The header defines the tile, the registers of
// an invocation, and take, reflect, times and dot.
//
// A step has a reflector H = I − γ·u·uᴴ of B elements, and two blocks A and C of B lines each. In
// sb2st.comp, a line is a row of C, or the complex conjugate of a column of A. In the other
// kernels, the lines of both blocks are rows in one half-step and columns in the next. Every line ℓ
// becomes ℓ − γ·(ℓᵀ·u)·conj(u), which is H·ℓ for real numbers. A cluster is LANES neighbouring
// invocations of one subgroup. Each line belongs to one cluster, which adds up the line's dot
// product by shuffles. Every cluster has all of u, and computes the reflector for itself. A comes
// from shared memory, where the previous step stored it as its block C, with lines and elements
// exchanged. Line 0 of A is the vector x, and H annihilates x except for its first element.
#ifndef CLUSTERS_GLSL
#define CLUSTERS_GLSL

// LD is the leading dimension of a block in shared memory (a tile). With this LD, neighbouring
// clusters of invocations access different banks, both by rows and by columns.
#ifdef COMPLEX
const uint LD = (B + 15) / 16 * 16 + 1;
#else
const uint LD = (B + 15) / 16 * 16 + (LANES == 4 ? 4 : 2);
#endif
const uint TILE = B * LD;
// A line is a row or a column of a block, and LANES invocations share it. OWN is the number of
// elements of a line that one invocation holds: its own elements.
const uint OWN = (B + LANES - 1) / LANES;

// `tile` holds one block of a step in shared memory: first the block A, and later the block C,
// which becomes the A of the next step.
shared work_t tile[TILES * TILE];

// A line is a row or a column of a block, and a cluster of LANES invocations shares it. `inside`
// tells whether element k of a line exists: if B is not a multiple of LANES, the last elements do
// not. The function `exists` tells whether line i exists: if WORK is larger than B·LANES, the last
// clusters have no line.
bool inside(uint k) { return B % LANES == 0 || k < B; }
bool exists(uint i) { return WORK == B * LANES || i < B; }

// a and c hold this invocation's elements of line i (a row or a column) of the blocks A and C,
// where i is the number of the cluster of invocations. The array u holds this invocation's elements
// of the vector u of the reflector. u_i is element i of this vector.
work_t a[OWN], c[OWN], u[OWN], u_i;
// `head` is x_0, the first element of the vector x that the reflector annihilates. After the call
// of `reflect`, `head` is scaled like the vector u.
work_t head;

#include "cluster_sum.glsl"

// cluster_max returns the largest x of a cluster, which is LANES neighbouring invocations. Every
// invocation of the cluster gets this x.
uint cluster_max(uint x) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) x = max(x, subgroupShuffleXor(x, m));
	return x;
}

// cluster_first returns the argument x of the first invocation of a cluster, which is LANES
// neighbouring invocations.
work_t cluster_first(work_t x) { return subgroupShuffle(x, gl_SubgroupInvocationID & ~(LANES - 1)); }

// dot returns yᵀ·z. The vectors y and z are distributed over a cluster of LANES invocations. Each
// invocation first adds the products of its own elements, in two independent chains of additions.
work_t dot(work_t y[OWN], work_t z[OWN]) {
	work_t even = mul(y[0], z[0]), odd = work_t(0);
	if (OWN > 1) odd = mul(y[OWN > 1 ? 1 : 0], z[OWN > 1 ? 1 : 0]);
	[[unroll]] for (uint m = 2; m < OWN; m += 2) {
		even = mad(y[m], z[m], even);
		if (m + 1 < OWN) odd = mad(y[m + 1], z[m + 1], odd);
	}
	return cluster_sum(even + odd);
}

// dot_conj returns yᴴ·z, with the additions of `dot`.
#ifdef COMPLEX
work_t dot_conj(work_t y[OWN], work_t z[OWN]) {
	[[unroll]] for (uint m = 0; m < OWN; m++) y[m] = conjugate(y[m]);
	return dot(y, z);
}
#else
#define dot_conj(y, z) dot(z, y)
#endif

// take reads line i (a row or a column) of block A, and the vector x, from the block in shared
// memory that begins at index `from` of the array `tile`. `first` is the number of the invocation
// in its cluster. The first element of x goes to `head` and not to u.
void take(uint i, uint first, uint from) {
	i = exists(i) ? i : 0;
	uint column = from + first + i * LD, x = from + first;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		bool has = inside(first + m * LANES);
		a[m] = has ? conjugate(tile[column + m * LANES]) : work_t(0);
		u[m] = has ? tile[x + m * LANES] : work_t(0);
	}
	head = tile[from];
	u_i = tile[from + i];
	if (first == 0) u[0] = work_t(0);
}

// reflect computes the reflector H from `head` and from u, which holds x without its first element.
// It scales `head`, u and u_i by a power of two that brings the largest element near one. It does
// not set the first element of u: the caller must set this element to u0 of the result.
Reflector reflect() {
	uint top = 0;
	[[unroll]] for (uint m = 0; m < OWN; m++) top = max(top, magnitude(u[m]));
	top = cluster_max(top);
	bool turns = top != 0; // if x is 0 except for its first element, H = I
#ifdef COMPLEX
	turns = turns || magnitude(of_real(imag_of(head))) != 0; // β must be real, so H ≠ I
#endif
	work_t kept = head;
	int e = exponent_of(JOIN(uvec2(0, max(top, magnitude(head)))));
	real_t up = power_of_two(-e);
	head *= up;
	u_i *= up;
	[[unroll]] for (uint m = 0; m < OWN; m++) u[m] *= up;

	return reflector(head, real_of(mad_conj(head, head, dot_conj(u, u))), e, kept, turns);
}

// times returns γ·yᵀu for the reflector H = I − γ·u·uᴴ, where y holds this invocation's elements of
// a line (a row or a column). When `times` is called, the first element of u is still 0, so `times`
// adds the term with h.u0 itself.
work_t times(Reflector h, work_t y[OWN]) { return mul(h.gamma, mad(cluster_first(y[0]), h.u0, dot(y, u))); }
#endif
