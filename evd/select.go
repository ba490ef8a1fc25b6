package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Selection says which part of the spectrum is wanted. Index and Interval make selections. The zero
// value is the whole spectrum.
//
//	Index(from, to)               λ[from] … λ[to−1], where λ[0] is the smallest
//	Interval(a, b)                a < λ ≤ b, with memory for all n
//	Interval(a, b).AtMost(m)      a < λ ≤ b, with memory for m; more values are a *TooManyError
type Selection = spectrum.Selection

// Index selects λ[from] … λ[to−1]. λ[0] is the smallest eigenvalue. λ[to] is not selected.
func Index(from, to int) Selection { return spectrum.Index(from, to) }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as in LAPACK's dstebz. An end may be
// infinite. An eigenvalue within the rounding error n·ε·‖A‖ of an end may count as on either side
// of this end.
//
// The number of eigenvalues is not known before the solve. So the plan allocates memory for all n,
// unless Selection.AtMost gives a smaller number.
func Interval(a, b float64) Selection { return spectrum.Interval(a, b) }
