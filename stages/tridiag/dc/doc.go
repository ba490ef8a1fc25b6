// Package dc, internal to vkevd, is the divide-and-conquer eigensolver for symmetric tridiagonal
// matrices (LAPACK dstedc and dlaed0–4; Cuppen 1981, Gu and Eisenstat 1995).
//
//	T = diag(T1, T2) + ρ·v·vᵀ        tear out one off-diagonal element
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ            solve the halves, Q = diag(Q1, Q2)
//	  = (Q·S)·Λ·(Q·S)ᵀ               roots of the secular equation, then a product
//
//	solve.go          the driver: which merges, in which order
//	tree.go           splits, scales and tears T
//	leaf.go           solves a leaf by QL iteration
//	deflate.go        finds the eigenvectors that a merge leaves as they are
//	merge.go          what a back end computes in a merge
//	secular.go        the eigenproblem of D + ρ·z·zᵀ
//	secular_root.go   one root of its secular equation
//	backend.go        the interface of back ends
//	host.go           the back end in plain Go
//
// There are two passes. The first finds the values: of all vectors a merge needs
// only the first and the last row of its halves, and hands on those of its own. The
// second makes the vectors, and need not ask anybody anything.
//
// The driver keeps numbers, O(n) of them a level; all that costs n² or n³ is done by
// a Backend, which may be a GPU. Same input, same bits: nothing depends on
// the number of processors.
//
// The package runs in production, on the host: package stages implements Backend on a device,
// and the back end in plain Go, which is blocked and parallel, solves blocks for package mrrr.
// Package stages/ref has the independent solver with which the tests compare this one.
package dc
