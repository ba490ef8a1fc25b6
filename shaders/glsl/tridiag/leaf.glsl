// This header has the common parts of the kernels that solve the leaves of divide and conquer.
//
// stedc_leaf and bdsdc_leaf include this header, after a numerics header and merge.glsl. The header
// defines Leaf, Leaves, SWEEPS, rotation, tiny, lift and drop.
#ifndef LEAF_GLSL
#define LEAF_GLSL
#include "range.glsl"

// A Leaf is given by its first row lo in the matrix, its order n, and the offset `at` of its
// matrices of vectors in elements, low word first.
struct Leaf { uint lo, n; uint at[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Leaves { Leaf at[]; };

// SWEEPS·n is the number of sweeps after which a leaf of order n is given up.
const uint SWEEPS = 30;

// tiny is the largest magnitude at which an off-diagonal element of stedc_leaf counts as zero,
// whatever its neighbours are. The function `rotation` multiplies smaller arguments by `lift`, and
// its result by `drop`, to prevent underflow. The product of `lift` and `drop` is 1.
real_t tiny() { return POWER(TINY); }
real_t lift() { return POWER(LIFT); }
real_t drop() { return POWER(-LIFT); }

// rotation returns c, s and r such that c·g + s·f = r, c·f − s·g = 0 and c² + s² = 1.
void rotation(real_t g, real_t f, out real_t c, out real_t s, out real_t r) {
	if (f == 0.0) {
		c = 1.0, s = 0.0, r = g;
		return;
	}
	bool small = max(abs(g), abs(f)) < tiny();
	if (small) g *= lift(), f *= lift();
	r = sqrt(g * g + f * f);
	c = g / r, s = f / r;
	if (small) r *= drop();
}

#endif
