// This header computes four sums over a workgroup at the same time, in an order that depends on
// LOCAL_SIZE alone.
//
// stedc_secular and stedc_rows include this header, after a numerics header and after the
// declaration of LOCAL_SIZE. LOCAL_SIZE must be a multiple of four. The header defines four_sums.
#ifndef FOUR_SUMS_GLSL
#define FOUR_SUMS_GLSL

// SUM_SHARE is the number of invocations that add up the terms of one of the four sums.
const uint SUM_SHARE = LOCAL_SIZE / 4;

// four_room   the terms of all invocations: all terms of the first sum, then of the second, …
// four_parts  the partial sum of each invocation, SUM_SHARE invocations for each of the four sums
shared acc_t four_room[4 * LOCAL_SIZE], four_parts[LOCAL_SIZE];

// four_sums replaces the four terms a, b, c and d of each invocation by the four sums over the
// workgroup. Every invocation gets the same bits. All invocations must call four_sums, in uniform
// control flow. No barrier is needed before or after the call.
void four_sums(inout acc_t a, inout acc_t b, inout acc_t c, inout acc_t d) {
	uint t = gl_LocalInvocationIndex;
	four_room[t] = a;
	four_room[t + LOCAL_SIZE] = b;
	four_room[t + 2 * LOCAL_SIZE] = c;
	four_room[t + 3 * LOCAL_SIZE] = d;
	barrier();
	uint at = t / SUM_SHARE * LOCAL_SIZE + t % SUM_SHARE;
	four_parts[t] = (four_room[at] + four_room[at + SUM_SHARE]) + (four_room[at + 2 * SUM_SHARE] + four_room[at + 3 * SUM_SHARE]);
	barrier();
	a = four_parts[0], b = four_parts[SUM_SHARE], c = four_parts[2 * SUM_SHARE], d = four_parts[3 * SUM_SHARE];
	for (uint i = 1; i < SUM_SHARE; i++) {
		a += four_parts[i];
		b += four_parts[SUM_SHARE + i];
		c += four_parts[2 * SUM_SHARE + i];
		d += four_parts[3 * SUM_SHARE + i];
	}
	// No barrier is needed at the end. The next call of four_sums first stores to four_room, which
	// all invocations have read before the second barrier of this call. The next call stores to
	// four_parts only after its own first barrier.
}

#endif
