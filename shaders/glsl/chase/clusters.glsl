// A step of bulge chasing whose blocks lie in the registers of clusters.
//
// sb2st.comp and tb2bd.comp include this header, after reflector.glsl and after the specialisation
// constants B, TILES, LANES and WORK. The header defines the tile, the registers of an invocation,
// and take, reflect, times and dot.
//
// A step has a reflector H = I − γ·u·uᵀ of B elements, and two blocks of B lines each, A and C:
// every line ℓ becomes H·ℓ. A line belongs to a cluster of LANES neighbouring invocations of one
// subgroup, which add up its dot product by shuffles. Every cluster has all of u, and computes the
// reflector for itself. A comes from shared memory, where it was the C of the step before, with
// lines and elements exchanged. Its line 0 is x, which H annihilates except for its first element.
#ifndef CLUSTERS_GLSL
#define CLUSTERS_GLSL

// Leading dimension of a tile. Neighbouring clusters then access different banks, by rows and by
// columns.
const uint LD = (B + 15) / 16 * 16 + (LANES == 4 ? 4 : 2);
const uint TILE = B * LD;
// Elements of a line that an invocation holds: its own elements.
const uint OWN = (B + LANES - 1) / LANES;

// A, and C, which is the A of the next step.
shared work_t tile[TILES * TILE];

// If B is not a multiple of LANES, or if the clusters do not fill the subgroups, some elements and
// clusters lie past the end of the block.
bool inside(uint k) { return B % LANES == 0 || k < B; }
bool exists(uint i) { return WORK == B * LANES || i < B; }

// a, c  own elements of line i of A and of line i of C
// u     own elements of u
// u_i   element i of u
work_t a[OWN], c[OWN], u[OWN], u_i;
// x_0, scaled like u once reflect has been called.
work_t head;

// cluster_sum returns the sum of x over the cluster, the same bits to each of its invocations.
work_t cluster_sum(work_t x) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) x += subgroupShuffleXor(x, m);
	return x;
}

// cluster_max returns the largest x of the cluster to each of its invocations.
uint cluster_max(uint x) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) x = max(x, subgroupShuffleXor(x, m));
	return x;
}

// cluster_first returns the x of the first invocation of the cluster.
work_t cluster_first(work_t x) { return subgroupShuffle(x, gl_SubgroupInvocationID & ~(LANES - 1)); }

// dot returns yᵀ·z over the cluster. The own elements are summed in two independent chains.
work_t dot(work_t y[OWN], work_t z[OWN]) {
	work_t even = y[0] * z[0], odd = 0;
	if (OWN > 1) odd = y[OWN > 1 ? 1 : 0] * z[OWN > 1 ? 1 : 0];
	[[unroll]] for (uint m = 2; m < OWN; m += 2) {
		even = fma(y[m], z[m], even);
		if (m + 1 < OWN) odd = fma(y[m + 1], z[m + 1], odd);
	}
	return cluster_sum(even + odd);
}

// take reads line i of A and x from the tile, from index `from` on; the head of x is kept apart
// from u.
void take(uint i, uint first, uint from) {
	i = exists(i) ? i : 0;
	uint column = from + first + i * LD, x = from + first;
	[[unroll]] for (uint m = 0; m < OWN; m++) {
		bool has = inside(first + m * LANES);
		a[m] = has ? tile[column + m * LANES] : work_t(0);
		u[m] = has ? tile[x + m * LANES] : work_t(0);
	}
	head = tile[from];
	u_i = tile[from + i];
	if (first == 0) u[0] = 0;
}

// reflect computes H from head and from u = x without its head, and scales both by a power of two
// that brings the largest element near one. The caller fills in u_0, which is known last.
Reflector reflect() {
	uint top = 0;
	[[unroll]] for (uint m = 0; m < OWN; m++) top = max(top, magnitude(u[m]));
	top = cluster_max(top);
	bool turns = top != 0; // otherwise H = I
	work_t kept = head;
	int e = exponent_of(JOIN(uvec2(0, max(top, magnitude(head)))));
	work_t up = power_of_two(-e);
	head *= up;
	u_i *= up;
	[[unroll]] for (uint m = 0; m < OWN; m++) u[m] *= up;

	return reflector(head, fma(head, head, dot(u, u)), e, kept, turns);
}

// times returns γ·yᵀu for the own elements y of a line, where u does not have its u_0 yet.
work_t times(Reflector h, work_t y[OWN]) { return h.gamma * fma(cluster_first(y[0]), h.u0, dot(y, u)); }
#endif
