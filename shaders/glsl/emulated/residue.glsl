// This header defines the reduction of 32-bit sums modulo the moduli pᵢ (moduli.glsl), for emulated
// products.
//
// The kernels emulated_product_* include this header, after moduli.glsl. The header defines residue
// and reduces_twice.
#ifndef RESIDUE_GLSL
#define RESIDUE_GLSL
#pragma host ONE_PASS

// ONE_PASS is the largest inner dimension of a product for which one step of the reduction modulo
// pᵢ is enough.
const uint ONE_PASS = 1082;

// reduces_twice tells whether sums over the inner dimension `inner` need two steps of the reduction
// modulo pᵢ.
bool reduces_twice(uint inner) { return inner > ONE_PASS; }

// nearer returns `sum` minus a multiple of q, which makes the result small but not always smallest.
// `multiplier` is round(2³²/q), the element of MULTIPLIERS for q. For q = 256 the result is `sum`
// itself.
int nearer(int sum, int q, int multiplier) {
	return sum - q * int((int64_t(sum) * multiplier + 0x80000000L) >> 32);
}

// residue returns a number whose low byte is the residue of `sum` modulo q. `multiplier` is
// round(2³²/q), the element of MULTIPLIERS for q. `twice` tells whether the reduction needs two
// steps, because the sum is long.
uint residue(int sum, int q, int multiplier, bool twice) {
	int y = nearer(sum, q, multiplier);
	if (twice) y = nearer(y, q, multiplier);
	return uint(y);
}

#endif
