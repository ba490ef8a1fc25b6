// Package mrrr, internal to vkevd, is the method of multiple relatively robust representations
// (LAPACK dstemr; Dhillon and Parlett 2004). It processes a tree level by level, because all work
// of one level is independent.
//
//	T − σ·I = L·D·Lᵀ            a root for each block of T, definite
//	L·D·Lᵀ·z = λ·z              for a λ that is single: far from all others, relative to itself
//	L⁺·D⁺·L⁺ᵀ = L·D·Lᵀ − τ·I    for a cluster of close λ: a child, with a shift τ close by, in which
//	                            the λ − τ are single or form smaller clusters
//
// For example, let a block have eigenvalues 1 … 7. Let 2, 3 and 4 form a cluster, within which 3
// and 4 form another cluster. Its tree has three levels:
//
//	T − σ·I          1  ( 2   3   4 )  5  6  7      vectors of 1, 5, 6 and 7
//	its child           2 ( 3   4 )                 vector of 2
//	its grandchild          3   4                   vectors of 3 and 4
//
// The files are:
//
//	solve.go           the solver: attempts, and the fallback
//	split.go           T is split into blocks, and the blocks are scaled
//	root.go            root representations, and the first intervals of their eigenvalues
//	wanted.go          which eigenvalues are wanted, and the columns of their vectors
//	tree.go            one attempt: level after level of the representation tree
//	node.go            single eigenvalues and clusters, and their tasks for a back end
//	check.go           checks of the vectors
//	backend.go         the interface of back ends
//	rules.go           small decisions that all back ends make in the same way
//	host.go            the back end in plain Go
//	representation.go  counts, bisection and shifts of one representation
//	vector.go          one vector
//
// LAPACK accepts a child only if its elements are not much larger than those of the root. This
// condition is sufficient but not necessary. Some clusters have no such child, and LAPACK fails for
// them. This package takes the best of some children, whatever its elements are, and checks the
// vectors afterwards. If the vectors of a block are not orthogonal, the block is solved again from
// another root, and finally by divide and conquer. Counters has the numbers of these cases.
//
// The package runs in production, on the host, and package stages/tridiag/stemr implements Backend
// on a device. The back end in plain Go specifies what a Backend computes, and runs in parallel.
// Package stages/ref has independent solvers, with which the tests compare this solver.
package mrrr
