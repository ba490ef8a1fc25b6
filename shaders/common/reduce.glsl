// Reductions over a workgroup, through shared memory, in an order that depends
// on LOCAL_SIZE alone: the same bits on every run and for every subgroup size.
// Every invocation must call them, in uniform control flow. LOCAL_SIZE and the
// numerics header come first.
#ifndef REDUCE_GLSL
#define REDUCE_GLSL

const uint REDUCE_FAN = 8; // values that one invocation adds between two barriers

shared acc_t reduce_room[LOCAL_SIZE];

// column_sum sees the invocations as a matrix with width columns, invocation t
// at row t / width and column t % width, and returns to the width invocations of
// row 0 the sums of their columns. Invocations past the last whole row do not
// count; width ≤ LOCAL_SIZE. What the others get back means nothing.
// A barrier must stand between two calls; none is needed before the first.
acc_t column_sum(acc_t x, uint width) {
	uint t = gl_LocalInvocationIndex;
	uint rows = LOCAL_SIZE / width;
	while (rows > 1) {
		uint left = (rows + REDUCE_FAN - 1) / REDUCE_FAN;
		reduce_room[t] = x;
		barrier();
		if (t < left * width) {
			for (uint at = t + left * width; at < rows * width; at += left * width) x += reduce_room[at];
		}
		rows = left;
		if (rows > 1) barrier();
	}
	return x;
}

// group_sum returns the sum over the workgroup to every invocation.
acc_t group_sum(acc_t x) {
	x = column_sum(x, 1);
	barrier();
	if (gl_LocalInvocationIndex == 0) reduce_room[0] = x;
	barrier();
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
