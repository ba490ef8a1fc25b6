// Four sums over a workgroup at once, in an order that depends on LOCAL_SIZE alone.
// LOCAL_SIZE is a multiple of four. After the numerics header.
#ifndef FOUR_SUMS_GLSL
#define FOUR_SUMS_GLSL

const uint SUM_SHARE = LOCAL_SIZE / 4; // invocations that add up one of the sums

shared acc_t four_room[4 * LOCAL_SIZE], four_parts[LOCAL_SIZE];

// four_sums turns each invocation's share into the sums, the same bits for every
// invocation. All must call it, in uniform control flow; no barrier is needed around it.
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
	// The next call's first stores go to four_room, which was read before the second
	// barrier; its stores to four_parts come after a barrier of its own.
}

#endif
