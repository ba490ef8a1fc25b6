// This header defines the quantities that the kernels of the refinement of eigenvectors compute for
// a pair of vectors i > j.
//
// Kernels include this header after index.glsl, and declare a push block p with the members s, g,
// lambda, noise, lds and ldg. S = XᵀAX and the Gram matrix G = XᵀX are n×n, and only their lower
// triangles are read. The header defines the function coupling and the constants ANGLE, TIGHT and
// DISORDER. Refinement in package stages/ref has the same constants.
#ifndef PAIRS_GLSL
#define PAIRS_GLSL

layout(buffer_reference, scalar, buffer_reference_align = 8) readonly buffer ValuesIn { double at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) writeonly buffer ValuesOut { double at[]; };

// A Cluster is the range [from, to) of indices that belong to one cluster of eigenvalues. A cluster
// may consist of a single index.
struct Cluster {
	uint from, to;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ClustersIn { Cluster at[]; };

// ANGLE is the largest |eᵢⱼ| that the correction E may have for a pair i, j outside of clusters.
const double ANGLE = 1.0lf / 32.0lf;

// The noise is the size of rounding errors in the coupling of a pair of vectors. A pair whose
// coupling is at most the noise counts as one multiple eigenvalue if its two eigenvalues differ by
// at most TIGHT times the noise.
const double TIGHT = 67108864.0lf;

// DISORDER is the largest amount by which two eigenvalues may be in the wrong order, in units of
// the noise (the size of rounding errors in couplings).
const double DISORDER = 4.0lf;

// coupling returns the coupling sᵢⱼ + ½·(λᵢ + λⱼ)·rᵢⱼ of two vectors i > j, where rᵢⱼ = −gᵢⱼ. The
// arguments are s = sᵢⱼ, g = gᵢⱼ, li = λᵢ and lj = λⱼ, with S = XᵀAX and G = XᵀX.
double coupling(double s, double g, double li, double lj) { return s - 0.5lf * (li + lj) * g; }

#endif
