// This header declares the data that the kernels of batches have for each matrix.
//
// Each kernel of a batch includes this header, after numerics.glsl and index.glsl. The header
// defines BatchMatrix and BatchState, their buffers, and the values of BatchState.status.
#ifndef PROBLEM_GLSL
#define PROBLEM_GLSL

// BatchMatrix describes one matrix of a batch, and where its data lies.
//
//	n         order, at least 1
//	upper     if not 0, the upper triangle of the matrix is read, otherwise the lower triangle
//	from, to  the wanted eigenvalues are [from, to), counted from 0 at the smallest
//	at        index of its first element in the arrays of vectors of length n: d, e and τ
//	w         index of its first eigenvalue
//	a         index of the first element of the n×n matrix, leading dimension n; low word first
//	v         index of the first element of its eigenvectors, n×(to − from), leading dimension n;
//	          low word first
struct BatchMatrix { uint n, upper, from, to, at, w; uint a[2], v[2]; };

// BatchState says how far the solution of a matrix is. All members are 0 at the beginning.
//
//	status      GOOD, NONFINITE, FAILED or DONE
//	exponent    the matrix was multiplied by 2^-exponent
//	lo, hi      the QL iteration works on the block of rows [lo, hi] of T
//	turned      bit 0: the iteration converges at hi instead of lo. Bit 1: [lo, hi] is the block
//	            of the next sweep; otherwise this block must be found first
//	futile      number of sweeps of this block without a new eigenvalue
//	sweeps      number of sweeps of the whole matrix so far
struct BatchState { uint status; int exponent; uint lo, hi, turned, futile, sweeps; };

// GOOD is the status of a matrix that is being solved, or was solved without an error.
#pragma host GOOD
const uint GOOD = 0;
// NONFINITE is the status of a matrix that has a NaN or an infinity in the triangle that the
// kernels read.
#pragma host NONFINITE
const uint NONFINITE = 1;
// FAILED is the status of a matrix for which QL iteration did not converge or divide and conquer
// failed. The block of rows lo to hi of its tridiagonal matrix was not solved.
#pragma host FAILED
const uint FAILED = 2;
// DONE means that QL iteration has ended, or is not needed.
#pragma host DONE
const uint DONE = 3;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Matrices { BatchMatrix at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer States { BatchState at[]; };

// long_ returns a 64-bit number from its two words, the low word first.
uint64_t long_(uint x[2]) { return uint64_t(x[0]) | uint64_t(x[1]) << 32; }

bool finite(real_t x) { return (SPLIT(x).y >> EXPONENT_SHIFT & EXPONENT_FIELD) != EXPONENT_FIELD; }

#endif
