// The reduction of 32-bit sums modulo pᵢ, for emulated products.
//
// The kernels that multiply planes include this header, after moduli.glsl. It defines residue and
// reduces_twice.
#ifndef RESIDUE_GLSL
#define RESIDUE_GLSL
#pragma host ONE_PASS

// The largest inner dimension for which one step of the reduction is enough.
const uint ONE_PASS = 1082;

// reduces_twice tells whether sums over this inner dimension need two steps.
bool reduces_twice(uint inner) { return inner > ONE_PASS; }

// nearer returns sum less a multiple of q near sum. multiplier is round(2³²/q).
int nearer(int sum, int q, int multiplier) {
	return sum - q * int((int64_t(sum) * multiplier + 0x80000000L) >> 32);
}

// residue returns a number whose low byte is the residue of sum modulo q. twice tells that the
// reduction needs two steps.
uint residue(int sum, int q, int multiplier, bool twice) {
	int y = nearer(sum, q, multiplier);
	if (twice) y = nearer(y, q, multiplier);
	return uint(y);
}

#endif
