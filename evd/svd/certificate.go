package svd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Certificate says how right the singular values were measured to be. Each number is an error in units
// of what rounding may cost, n·ε·‖·‖ with n = max(rows, columns) and ε = 2⁻⁵², and must be below
// evd.Threshold. A NaN anywhere gives +Inf.
//
// Counts proves the values to be those of the bidiagonal matrix C. Norm is all that is known of A and
// C without vectors: it is large if a reduction has lost or added something, but it cannot see an
// error that leaves the norm as it is.
type Certificate struct {
	// Counts is a distance w such that each value is within w of the singular value of C with the
	// same index: by Sturm counts on the Golub-Kahan form T of C, over n·ε·‖T‖₁. σ₁ ≤ ‖T‖₁ ≤ √2·σ₁.
	// It is at most twice as large as need be, and at least 4/n, the error of the counts.
	Counts float64 `json:"counts"`

	// Norm is | ‖A‖F − ‖C‖F |, over n·ε·‖A‖F: orthogonal factors keep the Frobenius norm.
	Norm float64 `json:"norm"`
}

// Passed says whether both numbers are below evd.Threshold.
func (c *Certificate) Passed() bool { return c.Counts < evd.Threshold && c.Norm < evd.Threshold }

// String lists the numbers in one line.
func (c *Certificate) String() string {
	return fmt.Sprintf("Sturm counts %.3g, norm %.3g", c.Counts, c.Norm)
}

// certify measures the values of σ·A against T, the Golub-Kahan form that is on the device and, the
// same, in t; and the norm of T against that of σ·A.
func (s *solve[T]) certify(a evd.Dense[T], sigma float64, t spectrum.Tridiagonal, p spectrum.Part) (*Certificate, error) {
	n := float64(s.rows)
	c := &Certificate{Counts: math.Inf(1), Norm: normDifference(a, sigma, t) / (n * spectrum.Ulp)}
	if math.IsNaN(c.Norm) {
		c.Norm = math.Inf(1)
	}
	norm := max(t.Norm1(), spectrum.SafeMin*sigma)
	if !(norm <= math.MaxFloat64) { // Sturm counts mean nothing then
		return c, nil
	}
	counts, err := s.steps.values.Certify(s.Call, p.Values, p.First, norm)
	c.Counts = counts * 2 * float64(s.cols) / n // T's order is 2·cols
	return c, err
}

// normDifference is | ‖σ·A‖F − ‖C‖F | / ‖σ·A‖F; 0 if both are 0. T holds each entry of C twice.
func normDifference[T evd.Float](a evd.Dense[T], sigma float64, t spectrum.Tridiagonal) float64 {
	rows, cols := stored(a)
	var squaresA, squaresC float64
	for j := range cols {
		column := 0.0 // a sum of its own, so that the rounding error does not grow with the number of entries
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
