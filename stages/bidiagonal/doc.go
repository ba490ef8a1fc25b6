// Package bidiagonal, internal to vkevd, is the divide-and-conquer solver for the singular values
// and vectors of upper bidiagonal matrices (LAPACK dbdsdc and dlasd0–4; Gu and Eisenstat 1995).
//
//	C = [ C1  ·  ]          tear out row k, the last one of the upper half:
//	    [ ·   C2 ]          it has d[k] in C1's last column and e[k] in C2's first column
//	  = S·M·Wᵀ              S = diag(S1, S2), W = diag(W1, W2); M has one full row z
//	  = (S·X)·Σ·(W·Y)ᵀ      M = X·Σ·Yᵀ by roots of the secular equation, then two products
//
// A half whose last row is torn out is square all the same: that row is zero. Its value 0 has the
// unit vector of the row as its left vector, and the null vector of the other rows as its right
// vector. So each block has the same rows in S as in W, and the tree, its levels, and the products of
// a merge are those of package dc. The vectors of both sides differ in the rotations before the
// products, and in the factors.
//
// With poles and values squared, the secular equation is that of package dc, too:
//
//	1 + Σ z_i²/(d_i² − σ²) = 0      pole 0 is d_0 = 0
//
// The back end gets rounded squares. They are the exact squares of poles that are half an ulp away,
// so that nothing is lost if all places use the same rounded square.
//
// Where to read:
//
//	solve.go     the algorithm, from top to bottom
//	solution.go  one solution in progress: split, scale, tear, and what is known between the levels
//	merge.go     a merge: M's row z, and its roots
//	deflate.go   vectors that a merge leaves as they are
//	backend.go   the interface of back ends
//	host.go      the back end in plain Go, which is there to be compared with
//
// The driver has O(n) numbers per level; a Backend does the rest, as package dc says. The same input
// gives the same bits. Package stages/ref has an independent solver.
package bidiagonal
