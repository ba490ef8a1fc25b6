// This header computes sums and maxima over a workgroup, through shuffles and shared memory.
//
// Kernels that need one value from all invocations include this header, after a numerics header and
// after the declarations of LOCAL_SIZE and LANES. LANES is a power of two, at most the size of a
// subgroup, and LOCAL_SIZE is a multiple of LANES. The header defines group_sum and group_max, as
// reduce.glsl does, with fewer barriers.
//
// The order of the operations depends on LOCAL_SIZE and LANES, so the bits of the result are the
// same on every run. Every invocation must call group_sum and group_max, in uniform control flow.
// No barrier is needed between two calls.
#ifndef REDUCE_CLUSTERS_GLSL
#define REDUCE_CLUSTERS_GLSL
#include "cluster_sum.glsl"

// cluster_values has one value of each cluster of LANES invocations.
const uint CLUSTERS = LOCAL_SIZE / LANES;
shared acc_t cluster_values[CLUSTERS];

// group_sum returns the sum of x over the workgroup, to every invocation.
acc_t group_sum(acc_t x) {
	uint t = gl_LocalInvocationIndex;
	x = cluster_sum(x);
	if (t % LANES == 0) cluster_values[t / LANES] = x;
	barrier();
	x = cluster_values[0];
	for (uint c = 1; c < CLUSTERS; c++) x += cluster_values[c];
	barrier();
	return x;
}

// group_max returns the largest x of the workgroup, to every invocation.
real_t group_max(real_t x) {
	uint t = gl_LocalInvocationIndex;
	[[unroll]] for (uint m = 1; m < LANES; m *= 2) x = max(x, subgroupShuffleXor(x, m));
	if (t % LANES == 0) cluster_values[t / LANES] = of_real(x);
	barrier();
	x = real_of(cluster_values[0]);
	for (uint c = 1; c < CLUSTERS; c++) x = max(x, real_of(cluster_values[c]));
	barrier();
	return x;
}

#endif
