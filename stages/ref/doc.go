// Package ref, internal to vkevd, repeats package stages in plain Go on float64 slices, written to
// be read. Its functions compute what a kernel must compute, in the order in which it is easiest to
// understand, and tests compare the kernels with them.
//
// The notation, the storage of Y, T, V, τ and of the compact band, and the signs are those of
// package stages. Every function is correct for all n ≥ 0 and all 1 ≤ b ≤ k with k a multiple of b,
// whether or not b or k divides n. No function is blocked for speed, runs in parallel, or checks
// its arguments more than a slice access does. Only tests import the package. The code that runs on
// the host in production is in package stages/tridiag and in the packages below it.
//
// Two functions promise the bits of their kernels. Bisection does, for each eigenvalue, the same
// operations as a thread of the kernel. BulgeChasing gives the same bits in every order of steps
// that its rule allows.
//
// The tridiagonal solvers do not repeat kernels. They are independent solvers that share no code
// with the drivers: DivideConquer is Cuppen's method down to single rows, and Jacobi shares no
// method with the others at all.
//
// BidiagonalDivideConquer specifies the singular vectors of a bidiagonal matrix: the split, leaves,
// deflation rules and secular equation that its kernels must have. It promises the accuracy that
// LAPACK's tests require, not the bits of the kernels.
package ref

// Panels is the number of panels of the band reduction. Panel p exists while there are rows below
// its diagonal block, (p+1)·b < n.
func Panels(n, b int) int { return max(0, (n-1)/b) }

// Sweeps is the number of sweeps of the bulge chasing.
func Sweeps(n int) int { return max(0, n-2) }

// Steps is the number J of steps of sweep 0. It is also the distance in Tau from one sweep to the
// next.
func Steps(n, b int) int { return max(0, (n-1+b-1)/b) }

// VOffset is the first element of the reflectors of sweep s in V. VOffset(n, Sweeps(n)) is the
// length of V.
func VOffset(n, s int) int { return s*(n-1) - s*(s-1)/2 }
