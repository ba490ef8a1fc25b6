// Sums over clusters: LANES neighbouring invocations of a subgroup. The order of every sum is fixed.
//
// The kernel that includes this header defines ROWS, LANES, CLUSTERS, acc_t, share_of (ROWS + 1
// elements of each invocation), shares_p (CLUSTERS·ROWS shared elements), and R1 to R5: how many of
// ROWS elements are left after that many halvings.
#ifndef CLUSTER_SUMS_GLSL
#define CLUSTER_SUMS_GLSL

// cluster_sum returns the sum of z over the cluster, the same bits to each of its invocations.
acc_t cluster_sum(acc_t z) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) z += subgroupShuffleXor(z, m);
	return z;
}

// TOTAL adds up the shares of all clusters, in two chains.
#define TOTAL(sum, shares) \
	acc_t sum = shares[0]; \
	{ \
		acc_t odd = acc_t(0); \
		[[unroll]] for (uint k = 1; k < CLUSTERS; k++) { \
			if (k % 2 == 0) sum += shares[k]; \
			else odd += shares[k]; \
		} \
		sum += odd; \
	}

// HALVE adds up share_of over pairs of invocations whose numbers differ in bit m. Of `from`
// elements, each of the two keeps one half. A single element is kept by both.
#define HALVE(from, to, m) \
	if (LANES > m) { \
		bool upper = (gl_LocalInvocationIndex & m) != 0; \
		[[unroll]] for (uint q = 0; q < to; q++) { \
			acc_t low = share_of[q]; \
			acc_t high = from == 1 ? low : acc_t(0); \
			if (q + to < from) high = share_of[q + to]; \
			share_of[q] = (upper ? high : low) + subgroupShuffleXor(upper ? low : high, m); \
		} \
	}

// KEEPER follows one halving back: it turns the index at of an element after it into the index
// before it. owns becomes false if there is no such element, or if another invocation stores it.
#define KEEPER(from, to, m) \
	if (LANES > m && (gl_LocalInvocationIndex & m) != 0) { \
		owns = owns && from > 1 && at + to < from; \
		at += to; \
	}

// store_shares adds up the shares of p over each cluster, and stores the sums to shares_p.
void store_shares() {
	HALVE(ROWS, R1, 1)
	HALVE(R1, R2, 2)
	HALVE(R2, R3, 4)
	HALVE(R3, R4, 8)
	HALVE(R4, R5, 16)
	const uint left = LANES > 16 ? R5 : LANES > 8 ? R4 : LANES > 4 ? R3 : LANES > 2 ? R2 : LANES > 1 ? R1 : ROWS;
	[[unroll]] for (uint q = 0; q < left; q++) {
		uint at = q;
		bool owns = true;
		KEEPER(R4, R5, 16)
		KEEPER(R3, R4, 8)
		KEEPER(R2, R3, 4)
		KEEPER(R1, R2, 2)
		KEEPER(ROWS, R1, 1)
		if (owns) shares_p[gl_LocalInvocationIndex / LANES * ROWS + at] = share_of[q];
	}
}

#endif
