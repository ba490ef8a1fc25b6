// Package tridiag, internal to vkevd, holds the code that the solvers of the tridiagonal
// eigenproblem share:
//
//	T = S·Λ·Sᵀ      T has the diagonal d (n) and the off-diagonal e (n−1)
//
// The solvers have packages of their own:
//
//	dc     divide and conquer (dstedc)
//	mrrr   multiple relatively robust representations (dstemr)
//	ql     implicit QL and QR iteration (dsteqr, dsterf)
//	suite  matrices and checks for the tests of all of them
//
// dc, mrrr and ql run in production. dc and mrrr are blocked and parallel. They make all decisions
// from O(n) numbers per level, and leave the work of order n² and n³ to a Backend. Package stages
// implements the back ends on a device; no package here imports package vk. dc and mrrr also have
// back ends in plain Go, which specify what other back ends must compute.
//
// Package stages/ref has independent solvers, with which the tests compare the solvers here.
package tridiag
