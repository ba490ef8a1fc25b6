// Package dc, internal to vkevd, is the divide-and-conquer eigensolver for symmetric tridiagonal
// matrices (LAPACK dstedc and dlaed0–4; Cuppen 1981, Gu and Eisenstat 1995).
//
//	T = diag(T1, T2) + ρ·v·vᵀ        tear out one off-diagonal element
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ            solve the halves, Q = diag(Q1, Q2), z = Qᵀ·v
//	  = (Q·S)·Λ·(Q·S)ᵀ               roots of the secular equation, then a product
//
// The halves are divided in the same way, until they are small. The smallest parts are the leaves,
// and QL iteration solves them. Solving two neighbouring parts together is a merge. The merges form
// a tree of levels. In this example T splits into two blocks, one with 6 leaves a … f and one with
// 2 leaves g and h:
//
//	2        ┌────── A ──────┐
//	1     ┌─ B ─┐         ┌─ C ─┐
//	0    ┌D┐    │        ┌E┐    │      ┌F┐
//	     a b    c        d e    f      g h
//
// The merges of one level are independent. A and F are whole blocks of T.
//
// The files are:
//
//	solve.go         the algorithm, from top to bottom
//	tree.go          T is split into blocks, and each block is torn into a tree
//	solution.go      one solution in progress
//	rounds.go        the values pass, with deflation on the host
//	leaf.go          a leaf, solved by QL iteration
//	columns.go       the columns of Q in a merge, while deflation finds the poles
//	deflate.go       deflation: eigenvectors that a merge does not change
//	merge.go         what a back end computes in a merge
//	secular.go       the eigenproblem of D + ρ·z·zᵀ
//	secular_root.go  one root of its secular equation
//	backend.go       the interface of back ends
//	host.go          the back end in plain Go
//	blocks.go        its matrix Q, and the products of a merge
//
// The solver has two passes. The values pass solves leaves and secular equations, level by level.
// It needs only the first and the last row of the vectors of each block. The vectors pass forms all
// vectors, level by level, and decides nothing.
//
// The solver keeps O(n) numbers per level. A Backend does all work of n² or n³ operations. A
// WholeBackend also decides the deflation in the values pass, which takes O(n) operations per
// level. The same input gives the same bits: the results do not depend on the number of processors.
//
// The package runs in production. Package stages/tridiag/stedc implements WholeBackend on a device.
// The back end in plain Go, Host, is blocked and parallel, and solves blocks for package mrrr.
// Package stages/ref has independent solvers, and the tests compare this package with them.
package dc
