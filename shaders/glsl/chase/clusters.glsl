// This header does a step of bulge chasing whose blocks lie in the registers of clusters of
// invocations.
//
// sb2st.comp and tb2bd.comp include this header, after reflector.glsl and after the specialisation
// constants B, TILES, LANES and WORK. The header defines the tile, the registers of an invocation,
// and take, reflect, times and dot.
//
// A step has a reflector H = I − γ·u·uᵀ of B elements, and two blocks of B lines each, A and C.
// Every line ℓ becomes H·ℓ. A line belongs to a cluster of LANES neighbouring invocations of one
// subgroup, which add up its dot product by shuffles. Every cluster has all of u, and computes the
// reflector for itself. A comes from shared memory, where the step before stored it as its block C,
// with lines and elements exchanged. Line 0 of A is x, which H annihilates except for its first
// element.
#ifndef CLUSTERS_GLSL
#define CLUSTERS_GLSL

// LD is the leading dimension of a tile. With this LD neighbouring clusters access different banks,
// both by rows and by columns.
const uint LD = (B + 15) / 16 * 16 + (LANES == 4 ? 4 : 2);
const uint TILE = B * LD;
// OWN is the number of elements of a line that an invocation holds. They are its own elements.
const uint OWN = (B + LANES - 1) / LANES;

// tile holds A, and C, which is the A of the next step.
shared work_t tile[TILES * TILE];

// inside tells whether element or line k lies in the block. Some elements and clusters lie past its
// end if B is not a multiple of LANES, or if the clusters do not fill the subgroups.
bool inside(uint k) { return B % LANES == 0 || k < B; }
bool exists(uint i) { return WORK == B * LANES || i < B; }

// a and c hold this invocation's own elements of line i of A and of C, and u its own elements of
// the vector u. u_i is element i of u.
work_t a[OWN], c[OWN], u[OWN], u_i;
// head is x_0. After reflect has been called, it is scaled like u.
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

// take reads line i of A, and x, from the tile, which begins at index `from`. The first element of
// x goes to head, not to u.
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

// times returns γ·yᵀu for the own elements y of a line. u does not contain its first element u_0
// yet.
work_t times(Reflector h, work_t y[OWN]) { return h.gamma * fma(cluster_first(y[0]), h.u0, dot(y, u)); }
#endif
