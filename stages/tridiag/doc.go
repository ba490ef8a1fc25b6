// Package tridiag, internal to vkevd, holds the code that the solvers of the tridiagonal
// eigenproblem share:
//
//	T = S·Λ·Sᵀ      T has the diagonal d (n) and the off-diagonal e (n−1)
//
// The solvers have packages of their own. These run on the host:
//
//	dc     divide and conquer (dstedc)
//	mrrr   multiple relatively robust representations (dstemr)
//	ql     implicit QL and QR iteration (dsteqr, dsterf)
//	sturm  bisection with Sturm counts (dstebz)
//	suite  matrices and checks for the tests of all of them
//
// dc, mrrr, ql and sturm run in production, and do not import package vk. dc and mrrr are blocked
// and parallel. They make all decisions from O(n) numbers per level, and leave the work of order n²
// and n³ to a Backend. Each of them has a back end in plain Go, which specifies what other back
// ends must compute.
//
// These need a device:
//
//	stedc  divide and conquer, a back end of dc
//	stemr  multiple relatively robust representations, a back end of mrrr
//	stebz  bisection with Sturm counts
//	steqr  QR iteration on the host, with the vectors on the device
//
// Package stages/ref has independent solvers, with which the tests compare the solvers here.
package tridiag
