// Package bidiagonal, internal to vkevd, is the divide-and-conquer solver for the singular values
// and vectors of upper bidiagonal matrices (LAPACK dbdsdc and dlasd0–4; Gu and Eisenstat 1995).
//
//	C = [ C1  ·  ]          tear out row k, the last one of the upper half:
//	    [ ·   C2 ]          it has d[k] in C1's last column and e[k] in C2's first column
//	  = S·M·Wᵀ              S = diag(S1, S2), W = diag(W1, W2); M has one full row z
//	  = (S·X)·Σ·(W·Y)ᵀ      M = X·Σ·Yᵀ by roots of the secular equation, then two products
//
// If the last row of a half is torn out, this row of the half becomes zero, so that the half stays
// square. The zero row gives the singular value 0, whose left vector is the unit vector of the row,
// and whose right vector is the null vector of the other rows. So S and W have the same diagonal
// blocks. The tree, its levels, and the products of a merge are those of package dc. The two sides
// differ in the rotations before the products, and in the factors X and Y.
//
// With squared poles d_i² and squared values σ², the secular equation has the same form as in
// package dc, with the weights z_i²:
//
//	1 + Σ z_i²/(d_i² − σ²) = 0      pole 0 is d_0 = 0
//
// The back end receives rounded squares of the poles. Each of them is the exact square of a pole
// that differs by at most half an ulp. Therefore no accuracy is lost if all steps use the same
// rounded squares.
//
// The files are:
//
//	solve.go     the algorithm, from top to bottom
//	solution.go  one solution in progress: split, scale, tear, and the state between the levels
//	merge.go     a merge: M's row z, and its roots
//	deflate.go   deflation: vectors that a merge does not change
//	backend.go   the interface of back ends
//	host.go      a back end in plain Go, with which tests compare other back ends
//
// The solver keeps O(n) numbers per level. A Backend does all other work, as in package dc. The
// same input gives the same bits. Package stages/ref has an independent solver.
package bidiagonal
