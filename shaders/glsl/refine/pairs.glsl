// This header defines the quantities that the kernels of the refinement of eigenvectors compute for
// a pair of vectors i > j.
//
// Kernels include this header after numerics.glsl and index.glsl. S = XᴴAX and the Gram matrix
// G = XᴴBX are n×n and Hermitian, and B = I for the problem A·x = λ·x. The kernels read the lower
// triangles of Sᵀ and Gᵀ, whose elements are conjugates of those of S and G. For real numbers, Sᵀ
// is S. The header defines the functions cluster_of, coupling, noise_of, modulus and divided, and
// the constants ANGLE, TIGHT, PAIR_TIGHT and DISORDER. Refinement in package stages/ref has the
// same constants, except PAIR_TIGHT.
#ifndef PAIRS_GLSL
#define PAIRS_GLSL
#ifdef COMPLEX
#include "polar.glsl"
#else
#define modulus(z) abs(z)
#endif

layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) readonly buffer ValuesIn { scalar_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = SCALAR_BYTES) writeonly buffer ValuesOut { scalar_t at[]; };

// A Cluster is the range [from, to) of indices that belong to one cluster of eigenvalues. A cluster
// may consist of a single index.
struct Cluster {
	uint from, to;
};
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer ClustersIn { uint at[]; };

// cluster_of returns the cluster of index i. `clusters` has two numbers for each index: from and to.
Cluster cluster_of(ClustersIn clusters, uint i) { return Cluster(clusters.at[2 * i], clusters.at[2 * i + 1]); }

// ANGLE is the largest |eᵢⱼ| that the correction E may have for a pair i, j outside of clusters.
const real_t ANGLE = real_t(1.0 / 32.0);

// The noise is the size of rounding errors in the coupling of a pair of vectors. A pair whose
// coupling is at most the noise counts as one multiple eigenvalue if its two eigenvalues differ by
// at most TIGHT times the noise. TIGHT² is near the reciprocal of the unit of rounding errors.
const real_t TIGHT = real_t(REAL_BYTES == 8 ? 67108864.0 : 4096.0);

// PAIR_TIGHT takes the place of TIGHT for a pair of matrices A and B. There the noise may be large
// in comparison with the residual of one of the two vectors, so a coupling should be corrected
// wherever this is possible. With PAIR_TIGHT = 1/ANGLE, a coupling stays without correction only if
// |eᵢⱼ| could exceed ANGLE.
const real_t PAIR_TIGHT = real_t(32.0);

// DISORDER is the largest amount by which two eigenvalues may be in the wrong order, in units of
// the noise (the size of rounding errors in couplings).
const real_t DISORDER = real_t(4.0);

// coupling returns the coupling sᵢⱼ + ½·(λᵢ + λⱼ)·rᵢⱼ of two vectors i > j, where rᵢⱼ = −gᵢⱼ. For
// complex numbers, the arguments s and g are sⱼᵢ and gⱼᵢ, and so the result is the conjugate of
// this number. li and lj are λᵢ and λⱼ.
scalar_t coupling(scalar_t s, scalar_t g, real_t li, real_t lj) { return s - real_t(0.5) * (li + lj) * g; }

// noise_of returns the noise of the pair i, j: (a + b·max(|λᵢ|, |λⱼ|))·‖xᵢ‖·‖xⱼ‖. `lengths` has the
// n numbers ‖x‖, or is null: then the noise of each pair is a.
real_t noise_of(real_t a, real_t b, ValuesIn lengths, uint i, uint j, real_t li, real_t lj) {
	if (uint64_t(lengths) == 0ul) return a;
	return (a + b * max(abs(li), abs(lj))) * (real_of(lengths.at[i]) * real_of(lengths.at[j]));
}

// divided returns a/r.
scalar_t divided(scalar_t a, real_t r) {
#ifdef COMPLEX
	return scalar_t(real_of(a) / r, imag_of(a) / r);
#else
	return a / r;
#endif
}

#endif
