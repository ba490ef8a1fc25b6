// Package ref, internal to vkevd, for tests only, computes in plain Go what the stages compute on a
// device, and is written to be read. Its functions compute what a kernel must compute, in the order
// that is easiest to understand. Tests compare the kernels with these functions. Functions with the
// type parameter Number compute with real and with complex matrices.
//
// The notation, the storage of Y, T, V, τ and of the compact band, and the signs are those of
// package stages. Every function is correct for all n ≥ 0 and all 1 ≤ b ≤ k with k a multiple of b,
// whether or not b or k divides n. No function is blocked for speed or runs in parallel. No
// function checks its arguments more than a slice access does. The solvers that run on the host in
// production are in package stages/tridiag, in the packages below it, and in package
// stages/bidiagonal.
//
// Some functions also specify bits. For each eigenvalue, Bisection does the same operations as an
// invocation of the kernel. The emulated products have the bits of their kernels. BulgeChasing
// gives the same bits in every order of steps that its dependence rule allows.
//
// The other eigensolvers do not do the same operations as kernels. They are independent solvers,
// which share no code with packages dc and mrrr. DivideConquer is Cuppen's method down to single
// rows. Jacobi's method has nothing in common with the other methods.
//
// BidiagonalDivideConquer specifies the singular vectors of a bidiagonal matrix: the splitting, the
// leaves (smallest subproblems), the deflation rules and the secular equation that its kernels must
// have. It guarantees the accuracy that LAPACK's tests require, but not the bits of the kernels.
package ref

// Panels is the number of panels of the band reduction. Panel p exists if there are rows below its
// diagonal block: (p+1)·b < n.
func Panels(n, b int) int { return max(0, (n-1)/b) }

// Sweeps is the number of sweeps of the bulge chasing for order n.
func Sweeps(n int) int { return max(0, n-2) }

// Steps is the number J of steps of sweep 0. J is also the distance between the factors of two
// successive sweeps in the array Tau.
func Steps(n, b int) int { return max(0, (n-1+b-1)/b) }

// VOffset is the index in the array V at which the reflectors of sweep s begin. VOffset(n,
// Sweeps(n)) is the length of V.
func VOffset(n, s int) int { return s*(n-1) - s*(s-1)/2 }
