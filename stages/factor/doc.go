// Package factor, internal to vkevd, factors positive definite matrices (dpotrf, zpotrf), solves
// triangular systems with many right-hand sides (dtrsm, ztrsm), and reduces generalized
// eigenproblems to standard form (dsygst, zhegst).
//
//	B = L·Lᴴ      Cholesky
//	│
//	│  A·x = λ·B·x      C = L⁻¹·A·L⁻ᴴ, x = L⁻ᴴ·z
//	│  A·B·x = λ·x      C = Lᴴ·A·L,    x = L⁻ᴴ·z      StandardForm
//	│  B·A·x = λ·x      C = Lᴴ·A·L,    x = L·z
//	▼
//	C·z = λ·z
//
// L is lower triangular, with zeros stored above the diagonal. Its diagonal blocks are inverted,
// and all else is products. The blocks are small, because the residual of a solve grows with the
// condition number of a block, which grows with the order of the block.
package factor
