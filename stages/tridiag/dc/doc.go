// Package dc, internal to vkevd, is the divide-and-conquer eigensolver for symmetric tridiagonal
// matrices (LAPACK dstedc and dlaed0–4; Cuppen 1981, Gu and Eisenstat 1995).
//
//	T = diag(T1, T2) + ρ·v·vᵀ        tear out one off-diagonal element
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ            solve the halves, Q = diag(Q1, Q2), z = Qᵀ·v
//	  = (Q·S)·Λ·(Q·S)ᵀ               roots of the secular equation, then a product
//
// The tree of a T that splits into two blocks, of 6 and of 2 leaves, say, has the levels
//
//	2        ┌────── A ──────┐
//	1     ┌─ B ─┐         ┌─ C ─┐
//	0    ┌D┐    │        ┌E┐    │      ┌F┐
//	     a b    c        d e    f      g h
//
// Merges of one level are independent. A and F are whole blocks of T.
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
// There are two passes. The values pass solves leaves and secular equations, level by level. A
// merge then needs only the first and the last row of each half's vectors, and yields those of its
// own. The vectors pass forms the vectors of all levels; it needs no decision any more.
//
// The driver has O(n) numbers per level. A Backend does all that costs n² or n³ operations. The
// same input gives the same bits: nothing depends on the number of processors.
//
// The package runs in production: package stages implements Backend on a device, and the back end
// in plain Go, which is blocked and parallel, solves blocks for package mrrr. Package stages/ref
// has independent solvers, with which the tests compare this one.
package dc
