// This header declares the data that the kernels of batches have for each matrix.
//
// Each kernel of a batch includes this header, after numerics.glsl and index.glsl. The header
// defines BatchMatrix and BatchState, their buffers, and the values of BatchState.status.
#ifndef PROBLEM_GLSL
#define PROBLEM_GLSL

// BatchMatrix describes one matrix of a batch, and where its data lies.
//
//	n         order, at least 1
//	upper     if UPPER is set, the upper triangle of the matrix is read, otherwise the lower
//	          triangle. If CONJUGATE is set, the entries in memory are the conjugates of those of the
//	          matrix. Only kernels for complex numbers look at CONJUGATE
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

// UPPER and CONJUGATE are bits of BatchMatrix.upper.
#pragma host UPPER
const uint UPPER = 1;
#pragma host CONJUGATE
const uint CONJUGATE = 2;

// given returns entry (i, j) of the matrix m, of which `x` is in memory. Nothing reads the
// imaginary part of an entry of the diagonal. upper_of tells which triangle is read.
#ifdef COMPLEX
scalar_t given(BatchMatrix m, scalar_t x, uint i, uint j) {
	return real_if(i == j, conjugated(x, (m.upper & CONJUGATE) != 0 ? SIGN_BIT : 0u));
}
#define upper_of(m) (((m).upper & UPPER) != 0)
#else
#define given(m, x, i, j) (x)
#define upper_of(m) ((m).upper != 0)
#endif

// These are buffers of real numbers, in kernels for complex numbers, too. real_element returns the
// address of element i.
#ifdef COMPLEX
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) readonly buffer RealsIn { real_t at[]; };
layout(buffer_reference, scalar, buffer_reference_align = REAL_BYTES) writeonly buffer RealsOut { real_t at[]; };
uint64_t real_element(uint64_t base, uint64_t i) { return base + REAL_BYTES * i; }
#else
#define RealsIn MatrixIn
#define RealsOut MatrixOut
#define real_element(base, i) element(base, i, 0, 0)
#endif

// Kernels for real numbers that work on complex matrices are compiled with PAIRS: an element of such
// a matrix is a pair of numbers, its real and its imaginary part. So a matrix with n rows is a real
// one with rows_of(n) rows. rows_of also counts the numbers before an element.
#ifdef PAIRS
#define rows_of(n) (2 * (n))
#else
#define rows_of(n) (n)
#endif

// long_ returns a 64-bit number from its two words, the low word first.
uint64_t long_(uint x[2]) { return uint64_t(x[0]) | uint64_t(x[1]) << 32; }

bool finite(real_t x) { return (SPLIT(x).y >> EXPONENT_SHIFT & EXPONENT_FIELD) != EXPONENT_FIELD; }
#ifdef COMPLEX
bool finite(scalar_t x) { return finite(real_of(x)) && finite(imag_of(x)); }
#endif

#endif
