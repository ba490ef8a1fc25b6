package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Selection says which part of the spectrum is wanted. Index and Interval make selections. The zero
// value is the whole spectrum.
//
//	Index(from, to)               λ[from] … λ[to−1], where λ[0] is the smallest
//	Interval(a, b)                a < λ ≤ b, with memory for all n
//	Interval(a, b).AtMost(m)      a < λ ≤ b, with memory for m; more values are a *TooManyError
type Selection spectrum.Selection

// AtMost returns a Selection of the same eigenvalues, with memory for only m of them. m = 0 means
// all n. If the interval has more than m eigenvalues, Solve returns a *TooManyError.
func (s Selection) AtMost(m int) Selection { return Selection(spectrum.Selection(s).AtMost(m)) }

// ByValue reports whether the selection is an interval.
func (s Selection) ByValue() bool { return spectrum.Selection(s).ByValue() }

// Index selects λ[from] … λ[to−1]. λ[0] is the smallest eigenvalue. λ[to] is not selected.
func Index(from, to int) Selection { return Selection(spectrum.Index(from, to)) }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as in LAPACK's dstebz. An end may be
// infinite. An eigenvalue within the rounding error n·ε·‖A‖ of an end may count as on either side.
//
// The number of eigenvalues is not known before the solve. So the plan allocates memory for all n,
// unless Selection.AtMost gives a smaller number.
func Interval(a, b float64) Selection { return Selection(spectrum.Interval(a, b)) }
