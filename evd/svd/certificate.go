package svd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Certificate holds measured bounds for the errors of the singular values. Each number is an error
// in units of n·ε·‖·‖, the usual size of rounding errors, with n = max(rows, columns) and ε = 2⁻⁵².
// Each number must be below evd.Threshold. A NaN anywhere gives +Inf.
//
// Counts proves that the values are those of the bidiagonal matrix C. Norm compares A with C. It is
// large if a reduction has changed the norm, but it cannot find an error that preserves the norm.
// Without vectors there is no better comparison.
type Certificate struct {
	// Counts is a distance w, divided by n·ε·‖T‖₁. Each value is within w of the singular value of
	// C with the same index. This is proved by Sturm counts on the Golub-Kahan form T of C. σ₁ ≤
	// ‖T‖₁ ≤ √2·σ₁. Counts is at most twice the smallest possible number, and at least 4/n, the
	// error of the counts.
	Counts float64 `json:"counts"`

	// Norm is | ‖A‖F − ‖C‖F | / (n·ε·‖A‖F). Orthogonal factors preserve the Frobenius norm.
	Norm float64 `json:"norm"`
}

// Passed reports whether both numbers are below evd.Threshold.
func (c *Certificate) Passed() bool { return c.Counts < evd.Threshold && c.Norm < evd.Threshold }

// String lists the numbers in one line.
func (c *Certificate) String() string {
	return fmt.Sprintf("Sturm counts %.3g, norm %.3g", c.Counts, c.Norm)
}

// certify measures the singular values of σ·A by Sturm counts on their Golub-Kahan form T, and
// compares the norm of T with that of σ·A. T is on the device, and t has a copy.
func (s *solve[T]) certify(a evd.Dense[T], sigma float64, t spectrum.Tridiagonal, p spectrum.Part) (*Certificate, error) {
	n := float64(s.rows)
	c := &Certificate{Counts: math.Inf(1), Norm: normDifference(a, sigma, t) / (n * spectrum.Ulp)}
	if math.IsNaN(c.Norm) {
		c.Norm = math.Inf(1)
	}
	norm := max(t.Norm1(), spectrum.SafeMin*sigma)
	if !(norm <= math.MaxFloat64) { // Sturm counts of such a T have no meaning
		return c, nil
	}
	counts, err := s.steps.values.Certify(s.Call, p.Values, p.First, norm)
	c.Counts = counts * 2 * float64(s.cols) / n // T has the order 2·cols
	return c, err
}

// normDifference returns | ‖σ·A‖F − ‖C‖F | / ‖σ·A‖F, or 0 if both norms are 0. T has each entry of
// C twice.
func normDifference[T evd.Float](a evd.Dense[T], sigma float64, t spectrum.Tridiagonal) float64 {
	rows, cols := stored(a)
	var squaresA, squaresC float64
	for j := range cols {
		column := 0.0 // a separate sum for each column, so that the rounding error grows less with the number of entries
		for _, v := range a.Data[j*a.Ld : j*a.Ld+rows] {
			x := float64(v) * sigma
			column += x * x
		}
		squaresA += column
	}
	for _, x := range t.E {
		squaresC += x * x
	}
	norm := math.Sqrt(squaresA)
	if d := math.Abs(norm - math.Sqrt(squaresC)); d != 0 {
		return d / norm
	}
	return 0
}
