// This header computes sums and maxima over a workgroup, through shared memory.
//
// Kernels that need one value from all invocations include this header, after a numerics header and
// after the declaration of LOCAL_SIZE. The header defines group_sum and group_max.
//
// The order of the operations depends on LOCAL_SIZE alone, so the bits of the result are the same
// on every run and for every subgroup size. Every invocation must call group_sum and group_max, in
// uniform control flow. No barrier is needed between two calls.
#ifndef REDUCE_GLSL
#define REDUCE_GLSL

// REDUCE_FAN is the number of values that one invocation combines between two barriers, when a sum
// or a maximum over the workgroup is computed.
const uint REDUCE_FAN = 8;

// reduce_room has one value per invocation, for sums and maxima over the workgroup. The kernels
// geqrf_panel_* also use this memory for other values, between two such sums.
shared acc_t reduce_room[LOCAL_SIZE];

// group_sum returns the sum of x over the workgroup, to every invocation.
acc_t group_sum(acc_t x) {
	uint t = gl_LocalInvocationIndex;
	reduce_room[t] = x;
	barrier();
	for (uint count = LOCAL_SIZE; count > 1;) {
		uint left = (count + REDUCE_FAN - 1) / REDUCE_FAN;
		if (t < left) {
			for (uint at = t + left; at < count; at += left) x += reduce_room[at];
			reduce_room[t] = x;
		}
		barrier();
		count = left;
	}
	x = reduce_room[0];
	barrier();
	return x;
}

// group_max returns the largest x of the workgroup, to every invocation.
real_t group_max(real_t x) {
	uint t = gl_LocalInvocationIndex;
	reduce_room[t] = of_real(x);
	barrier();
	for (uint count = LOCAL_SIZE; count > 1;) {
		uint left = (count + REDUCE_FAN - 1) / REDUCE_FAN;
		if (t < left) {
			for (uint at = t + left; at < count; at += left) x = max(x, real_of(reduce_room[at]));
			reduce_room[t] = of_real(x);
		}
		barrier();
		count = left;
	}
	x = real_of(reduce_room[0]);
	barrier();
	return x;
}

#endif
