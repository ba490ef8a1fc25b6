// This header adds up numbers over clusters. A cluster is LANES neighbouring invocations of a
// subgroup.
//
// The kernel that includes this header must define LANES, which is a power of two and at most the
// size of a subgroup.
#ifndef CLUSTER_SUM_GLSL
#define CLUSTER_SUM_GLSL

// cluster_sum returns the sum of z over a cluster. The order of the additions is fixed. All
// invocations of the cluster get the same bits.
acc_t cluster_sum(acc_t z) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) z += subgroupShuffleXor(z, m);
	return z;
}
#ifdef COMPLEX
real_t cluster_sum(real_t z) {
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) z += subgroupShuffleXor(z, m);
	return z;
}
#endif

#endif
