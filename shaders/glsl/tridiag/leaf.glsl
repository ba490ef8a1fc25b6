// What the leaf kernels of divide and conquer share.
//
// stedc_leaf and bdsdc_leaf include this header, after a numerics header and merge.glsl. It defines
// Leaf, Leaves, rotation, and the smallest numbers that matter in a leaf.
#ifndef LEAF_GLSL
#define LEAF_GLSL

// A Leaf has its first row, its order, and the offset of its blocks of vectors (the low word first).
struct Leaf { uint lo, n; uint at[2]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Leaves { Leaf at[]; };

// SWEEPS is the number of sweeps for each row after which a leaf is given up.
const uint SWEEPS = 30;

// An off-diagonal element below tiny() counts as zero. lift() and drop() are factors that prevent
// underflow.
double tiny() { return packDouble2x32(uvec2(0u, (1023u - 400u) << 20)); }
double lift() { return packDouble2x32(uvec2(0u, (1023u + 600u) << 20)); }
double drop() { return packDouble2x32(uvec2(0u, (1023u - 600u) << 20)); }

// rotation returns c, s and r such that c·g + s·f = r and c·f − s·g = 0.
void rotation(double g, double f, out double c, out double s, out double r) {
	if (f == 0.0lf) {
		c = 1.0lf, s = 0.0lf, r = g;
		return;
	}
	bool small = max(abs(g), abs(f)) < tiny();
	if (small) g *= lift(), f *= lift();
	r = sqrt(g * g + f * f);
	c = g / r, s = f / r;
	if (small) r *= drop();
}

#endif
