package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Selection says which part of the spectrum is wanted: Index or Interval. The zero value is the
// whole spectrum.
//
//	Index(from, to)               λ[from] … λ[to−1], counted from 0 at the smallest
//	Interval(a, b)                a < λ ≤ b; memory for all n
//	Interval(a, b).AtMost(m)      the same; memory for m, and a *TooManyError if there are more
type Selection = spectrum.Selection

// Index selects λ[from] … λ[to−1], where λ[0] is the smallest: the range is half-open.
func Index(from, to int) Selection { return spectrum.Index(from, to) }

// Interval selects the eigenvalues in (a, b]: a < λ ≤ b, as in dstebz. An end may be infinite. An
// eigenvalue within the rounding error n·ε·‖A‖ of an end may count as on either side of the end.
//
// The number of eigenvalues is known only after T is. The plan's memory is for all n, unless
// Selection.AtMost says otherwise.
func Interval(a, b float64) Selection { return spectrum.Interval(a, b) }
