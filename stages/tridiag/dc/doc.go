// Package dc, internal to vkevd, is the divide-and-conquer eigensolver for symmetric tridiagonal
// matrices (LAPACK dstedc and dlaed0–4; Cuppen 1981, Gu and Eisenstat 1995).
//
//	T = diag(T1, T2) + ρ·v·vᵀ        tear out one off-diagonal element
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ            solve the halves, Q = diag(Q1, Q2), z = Qᵀ·v
//	  = (Q·S)·Λ·(Q·S)ᵀ               roots of the secular equation, then a product
//
// The levels of merges form a tree. The tree of a T that splits into two blocks, one of 6 leaves a
// … f and one of 2 leaves g and h, has the levels
//
//	2        ┌────── A ──────┐
//	1     ┌─ B ─┐         ┌─ C ─┐
//	0    ┌D┐    │        ┌E┐    │      ┌F┐
//	     a b    c        d e    f      g h
//
// The merges of one level are independent. A and F are whole blocks of T.
//
// Where to read:
//
//	solve.go         the algorithm, from top to bottom
//	tree.go          T is split into blocks, and each block is torn into a tree
//	solution.go      one solution in progress: what is known between the levels
//	leaf.go          a leaf, solved by QL iteration
//	deflate.go       eigenvectors that a merge leaves as they are
//	merge.go         what a back end computes in a merge
//	secular.go       the eigenproblem of D + ρ·z·zᵀ
//	secular_root.go  one root of its secular equation
//	backend.go       the interface of back ends
//	host.go          the back end in plain Go
//
// The solver has two passes. The values pass solves leaves and secular equations, level by level.
// For this a merge needs only the first and the last row of the vectors of both halves, and it
// computes the first and the last row of its own vectors. The vectors pass forms the vectors of all
// levels. It makes no further decisions.
//
// The driver keeps O(n) numbers per level. A Backend does all work of n² or n³ operations. The
// same input gives the same bits: nothing depends on the number of processors.
//
// The package runs in production. Package stages implements Backend on a device. The back end in
// plain Go, Host, is blocked and parallel and solves blocks for package mrrr. Package stages/ref
// has independent solvers, and the tests compare this package with them.
package dc
