// Package mrrr, internal to vkevd, is the method of multiple relatively robust representations
// (LAPACK dstemr; Dhillon and Parlett 2004), level by level, so that all work of a level is
// independent.
//
//	T − σ·I = L·D·Lᵀ            a root for each block, definite
//	L·D·Lᵀ·z = λ·z              where λ stands apart from all others, relative to itself
//	L⁺·D⁺·L⁺ᵀ = L·D·Lᵀ − τ·I    where it does not: a child for the cluster, τ close by,
//	                            in which the λ − τ stand apart, or clusters of them do
//
//	solve.go           the driver: attempts, and the last resort
//	blocks.go          splits and scales T; root representations; which eigenvalues are wanted
//	tree.go            one attempt: clusters and single eigenvalues of a level, then the next level
//	check.go           checks of the vectors
//	backend.go         the interface of back ends
//	host.go            the back end in plain Go
//	representation.go  counts, bisection and shifts of one representation
//	vector.go          one vector
//
// LAPACK takes a child only if its elements are not much larger than those of the root, which
// is sufficient and not necessary, and gives up on matrices with clusters that have
// no such child. Here the best of some children is taken, whatever its elements are, and the vectors
// are looked at afterwards: a block whose vectors are not orthogonal is solved again
// from another root, at last by divide and conquer. The counters tell.
//
// The package runs in production, on the host: package stages implements Backend on a device.
// The back end in plain Go says what a Backend computes; it runs in parallel. Package stages/ref
// has the independent solver with which the tests compare this one.
package mrrr
