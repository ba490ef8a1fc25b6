// This header adds up numbers over clusters. A cluster is LANES neighbouring invocations of a
// subgroup. The order of every sum is fixed.
//
// The kernel that includes this header must define:
//
//	ROWS, LANES  the number of sums, and the number of invocations of a cluster
//	CLUSTERS     the number of clusters of the workgroup
//	acc_t        the type of the sums, and real_t the type of a real sum
//	share_of     an array of ROWS + 1 elements in each invocation
//	shares_p     an array of CLUSTERS·ROWS elements in shared memory
//	R1 to R5     the numbers of elements that are left of ROWS after 1 to 5 halvings
#ifndef CLUSTER_SUMS_GLSL
#define CLUSTER_SUMS_GLSL

#include "cluster_sum.glsl"

// TOTAL declares the variable `sum` and sets it to the sum of the array `shares`, which has one
// real element for each cluster (LANES neighbouring invocations). The additions form two
// independent chains, which hide each other's latency.
#define TOTAL(sum, shares) \
	real_t sum = shares[0]; \
	{ \
		real_t odd = real_t(0); \
		[[unroll]] for (uint k = 1; k < CLUSTERS; k++) { \
			if (k % 2 == 0) sum += shares[k]; \
			else odd += shares[k]; \
		} \
		sum += odd; \
	}

// HALVE adds up the arrays share_of over pairs of invocations whose numbers differ in bit m. Before
// HALVE each invocation of a pair has `from` elements. After HALVE each has the sums of one half of
// the elements, which is `to` elements. If `from` is 1, both invocations have the only sum.
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

// HALVE replaces an array in each invocation by half of the sums over pairs of invocations. KEEPER
// converts the index of an element: `at` is the index after a HALVE, and becomes the index before
// this HALVE. `owns` becomes false if no such element exists, or if another invocation stores it.
#define KEEPER(from, to, m) \
	if (LANES > m && (gl_LocalInvocationIndex & m) != 0) { \
		owns = owns && from > 1 && at + to < from; \
		at += to; \
	}

// A cluster is LANES neighbouring invocations. Each invocation has ROWS numbers in the array
// share_of. store_shares adds these numbers up over the invocations of a cluster, and stores the
// ROWS sums to shares_p.
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
