// Reductions over a workgroup, through shared memory, in an order that depends
// on LOCAL_SIZE alone: the same bits on every run and for every subgroup size.
// Every invocation must call them, in uniform control flow; no barrier is needed
// between two calls. LOCAL_SIZE and the numerics header come first.
#ifndef REDUCE_GLSL
#define REDUCE_GLSL

const uint REDUCE_FAN = 8; // values that one invocation adds between two barriers

shared acc_t reduce_room[LOCAL_SIZE];

// group_sum returns the sum over the workgroup to every invocation.
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

// group_max returns the largest x of the workgroup to every invocation.
acc_t group_max(acc_t x) {
	uint t = gl_LocalInvocationIndex;
	reduce_room[t] = x;
	barrier();
	for (uint count = LOCAL_SIZE; count > 1;) {
		uint left = (count + REDUCE_FAN - 1) / REDUCE_FAN;
		if (t < left) {
			for (uint at = t + left; at < count; at += left) x = max(x, reduce_room[at]);
			reduce_room[t] = x;
		}
		barrier();
		count = left;
	}
	x = reduce_room[0];
	barrier();
	return x;
}

#endif
