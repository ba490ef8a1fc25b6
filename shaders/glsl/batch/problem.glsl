// What the kernels of batches know about each matrix.
//
// Each kernel of a batch includes this header, after numerics_f64.glsl and index.glsl. It defines
// BatchMatrix and BatchState, their buffers, and the values of BatchState.status.
#ifndef PROBLEM_GLSL
#define PROBLEM_GLSL
#extension GL_KHR_memory_scope_semantics : require

// BatchMatrix is a matrix of a batch.
//
//	n         order, at least 1
//	upper     not 0: the upper triangle is read, not the lower one
//	from, to  the eigenvalues that are wanted, [from, to), counted from 0 at the smallest
//	at        first element of its vectors of length n: d, e and τ
//	w         first one of its eigenvalues
//	a         first element of its n×n matrix, leading dimension n; the low word first
//	v         first element of its eigenvectors, n×(to − from), leading dimension n; likewise
struct BatchMatrix { uint n, upper, from, to, at, w; uint a[2], v[2]; };

// BatchState is how far the solution of a matrix is. All zero at first.
//
//	status      one of the constants below
//	exponent    the matrix was multiplied by 2^-exponent
//	lo, hi      block of T that QL iteration works on, rows [lo, hi]
//	turned      bit 0: the iteration converges at hi instead of lo. Bit 1: the next sweep is that of
//	            this block, else the block is looked for
//	futile      sweeps of that block without an eigenvalue
//	sweeps      sweeps so far
struct BatchState { uint status; int exponent; uint lo, hi, turned, futile, sweeps; };

// GOOD means that the matrix is being solved, or was solved.
#pragma host GOOD
const uint GOOD = 0;
// NONFINITE means that the matrix has a NaN or an infinity in the triangle that the kernels read.
#pragma host NONFINITE
const uint NONFINITE = 1;
// FAILED means that QL iteration did not converge on the block [lo, hi].
#pragma host FAILED
const uint FAILED = 2;
// DONE means that QL iteration has ended.
#pragma host DONE
const uint DONE = 3;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Matrices { BatchMatrix at[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer States { BatchState at[]; };

// meet is a barrier of the workgroup, for what it wrote to buffers, too.
void meet() {
	const int what = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, what, gl_SemanticsAcquireRelease);
}

// long_ returns an offset of two words.
uint64_t long_(uint x[2]) { return uint64_t(x[0]) | uint64_t(x[1]) << 32; }

// finite tells whether x is neither NaN nor infinite.
bool finite(double x) { return (unpackDouble2x32(x).y >> 20 & 0x7ffu) != 0x7ffu; }

#endif
