// This header defines counter-based random numbers: the number at a position depends only on the
// position and on a seed, and not on the order in which numbers are computed.
//
// The kernels that make test matrices, and peak_fma, include this header, after a numerics header.
// The header defines philox and uniform_at.
//
// Source: J. Salmon, M. Moraes, R. Dror and D. Shaw, Parallel random numbers: as easy as 1, 2, 3,
// SC 2011 (Philox, two words, ten rounds).
#ifndef RANDOM_GLSL
#define RANDOM_GLSL

// philox returns 64 random bits that depend only on a counter and a key.
uvec2 philox(uvec2 counter, uint key) {
	for (uint round = 0; round < 10; round++) {
		uint high, low;
		umulExtended(0xd256d193u, counter.x, high, low);
		counter = uvec2(high ^ key ^ counter.y, low);
		key += 0x9e3779b9u;
	}
	return counter;
}

// uniform_at returns the random number of position (i, j). The numbers are uniform in [−1, 1), with
// mean 0 and variance 1/3.
real_t uniform_at(uint i, uint j, uint seed) {
	uvec2 bits = philox(uvec2(i, j), seed);
	// x is a random number between 1 and 2: its mantissa has random bits.
	real_t x = JOIN(uvec2(bits.x, uint(EXPONENT_BIAS) << EXPONENT_SHIFT | bits.y >> (32 - EXPONENT_SHIFT)));
	return real_t(2) * x - real_t(3);
}

#endif
