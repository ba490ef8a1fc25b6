package ratio

import (
	"fmt"
	"math"
)

// Sturm certifies that the ascending values are the eigenvalues of the symmetric tridiagonal T(d,
// e), each within `width`. For every i, at most i eigenvalues of T must be below values[i] −
// `width`, and at least i+1 below values[i] + `width`. Sturm needs no result of another solver. The
// error names the first value that fails.
//
// LAPACK's dstech merges overlapping intervals and compares the counts of whole clusters. Sturm is
// stricter: it tests each index with its own interval. Rounding errors change the counts as if the
// entries of T had changed by a few ulp, so a `width` below 2·ulp·‖T‖₁ counts as 2·ulp·‖T‖₁. A norm
// below the safe minimum counts as the safe minimum.
func Sturm(d, e, values []float64, width float64) error {
	if len(values) != len(d) {
		return fmt.Errorf("ratio: %d values for order %d", len(values), len(d))
	}
	return SturmRange(d, e, 0, values, width)
}

// SturmRange certifies some of the eigenvalues of T(d, e) as the function Sturm does: values[k] is
// tested against the eigenvalue with the index `first`+k.
func SturmRange(d, e []float64, first int, values []float64, width float64) error {
	n, m := len(d), len(values)
	if first < 0 || first+m > n {
		return fmt.Errorf("ratio: indices [%d, %d) of order %d", first, first+m, n)
	}
	if m == 0 {
		return nil
	}
	if !finite(n, 1, d, n) || !finite(n-1, 1, e, n-1) || !finite(m, 1, values, m) || !(width >= 0) {
		return fmt.Errorf("ratio: not a number among T, the values and the width %g", width)
	}
	d, e, shift := tridiagonalToOne(d, e)
	norm := max(NormTridiagonal(d, e), math.Ldexp(SafeMin, shift))
	width = max(math.Ldexp(width, shift), 2*Ulp*norm, 2*SafeMin) // 2·SafeMin: more than countBelow moves a pivot
	for i, value := range values {
		at := math.Ldexp(value, shift)
		k := first + i
		if below := countBelow(d, e, at-width); below > k {
			return fmt.Errorf("ratio: eigenvalue %d is below %g − %g: %d are", k, value, math.Ldexp(width, -shift), below)
		}
		if below := countBelow(d, e, at+width); below < k+1 {
			return fmt.Errorf("ratio: eigenvalue %d is above %g + %g: only %d are below", k, value, math.Ldexp(width, -shift), below)
		}
	}
	return nil
}

// countBelow counts the negative pivots of T − x·I = L·D·Lᵀ. By Sylvester's law of inertia this is
// the number of eigenvalues below x. No quotient overflows: the magnitudes of T's entries are below
// one, and a pivot with a magnitude below the safe minimum is replaced.
func countBelow(d, e []float64, x float64) int {
	count := 0
	q := 1.0
	for i := range d {
		var ee float64
		if i > 0 {
			ee = e[i-1] * e[i-1]
		}
		q = (d[i] - x) - ee/q
		if math.Abs(q) < SafeMin {
			q = -SafeMin
		}
		if q < 0 {
			count++
		}
	}
	return count
}
