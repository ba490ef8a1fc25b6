package svd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Certificate holds measured bounds for the errors of the singular values. Each number is an error
// divided by n·ε·‖·‖, the usual size of rounding errors, with n = max(rows, columns), the unit ε of
// the number type and a norm of the matrix. A certificate passes if all numbers are below
// evd.Threshold. If a norm or a value is NaN, the number is +Inf.
//
// Small ratios of the vectors prove the result, however it was computed: orthonormal vectors with a
// small residual are singular vectors of a matrix near A. Counts proves that the values are those
// of the bidiagonal matrix C. Norm compares A with C. Norm is large if a reduction has changed the
// norm. Norm cannot find an error that preserves the norm, and without vectors no better comparison
// is possible.
type Certificate struct {
	// Counts is w / (n·ε·‖T‖₁), where each computed value is within the distance w of the singular
	// value of C with the same index. Sturm counts on the Golub-Kahan form T of C prove the
	// distance w. The norm of T is near the largest singular value: σ₁ ≤ ‖T‖₁ ≤ √2·σ₁. Counts is at
	// most twice the smallest number that could be proved. Counts is at least 4/n, because the
	// counts have rounding errors, too.
	Counts float64 `json:"counts"`

	// Norm is | ‖A‖F − ‖C‖F | / (n·ε·‖A‖F). C is the bidiagonal matrix to which A was reduced. Norm
	// should be small, because orthogonal factors preserve the Frobenius norm. If the band is
	// stored in half precision, ε is that of half precision, and Norm is not divided by n. A
	// BandPlan does the same for single precision.
	Norm float64 `json:"norm"`

	// Vectors has the ratios of the vectors, as Plan.Check measures them. It is nil without
	// Options.Verify, without vectors, and for a matrix without selected values.
	Vectors *Ratios `json:"vectors,omitempty"`

	// Safe says that the first result did not pass its certificate, and that this result comes from
	// a second solve on the safe path, which uses slower and simpler methods.
	Safe bool `json:"safe"`
}

// Passed reports whether all numbers of the certificate are below evd.Threshold.
func (c *Certificate) Passed() bool {
	return c.Counts < evd.Threshold && c.Norm < evd.Threshold && (c.Vectors == nil || c.Vectors.Passed())
}

// String lists the numbers of the certificate in one line.
func (c *Certificate) String() string {
	values := fmt.Sprintf("Sturm counts %.3g, norm %.3g", c.Counts, c.Norm)
	if c.Vectors != nil {
		return fmt.Sprintf("%v, %s", c.Vectors, values)
	}
	return values
}

// certify measures the errors of the singular values p of σ·A. t is the host's copy of the
// Golub-Kahan form of the bidiagonal matrix to which σ·A was reduced. The device must still have
// it, too.
func (s *solve[T]) certify(a evd.Dense[T], sigma float64, t spectrum.Tridiagonal, p spectrum.Part) (*Certificate, error) {
	c, err := certifyGolubKahan[T](s.Call, s.steps.values, sigma, frobenius(a, sigma), s.rows, t, p)
	c.Counts = c.Counts * float64(s.cols) / float64(s.rows) // from the order of C to max(rows, columns), in the unit of Counts
	if s.opt.Storage == Half {                              // measured errors in half precision do not grow with n
		c.Norm *= float64(s.rows) * precision.UlpOf[T]() / Half.Ulp()
	}
	return c, err
}

// certifyGolubKahan proves the errors of the singular values p of σ·A by Sturm counts on the
// Golub-Kahan form T of C, and compares ‖C‖F with `norm` = ‖σ·A‖F. The device has T, and t is the
// host's copy. With n = max(rows, columns) of A, Norm is in units of n·ε·‖A‖F. Counts is in units
// of ε·‖T‖₁ times the order of C, which may be less than n.
func certifyGolubKahan[T evd.Number](
	c *plan.Call, values *spectrum.Stage, sigma, norm float64, n int, t spectrum.Tridiagonal, p spectrum.Part,
) (*Certificate, error) {
	found := &Certificate{Counts: math.Inf(1), Norm: normDifference(norm, t) / (float64(n) * precision.UlpOf[T]())}
	if math.IsNaN(found.Norm) {
		found.Norm = math.Inf(1)
	}
	norm1 := max(t.Norm1(), precision.SafeMinOf[T]()*sigma)
	if !(norm1 <= math.MaxFloat64) { // Sturm counts of such a T have no meaning
		return found, nil
	}
	counts, err := values.Certify(c, p.Values, p.First, norm1, precision.UlpOf[T]())
	found.Counts = counts * 2 // T has twice the order of C
	return found, err
}

// normDifference returns |`norm` − ‖C‖F| / `norm`, or 0 if both norms are 0. The off-diagonal t.E
// holds each entry of C once.
func normDifference(norm float64, t spectrum.Tridiagonal) float64 {
	squares := 0.0
	for _, x := range t.E {
		squares += x * x
	}
	if d := math.Abs(norm - math.Sqrt(squares)); d != 0 {
		return d / norm
	}
	return 0
}

func frobenius[T evd.Number](a evd.Dense[T], sigma float64) float64 {
	rows, cols := stored(a)
	squares := 0.0
	for j := range cols {
		squares += sumOfSquares(a.Data[j*a.Ld:j*a.Ld+rows], sigma, 1) // a separate sum for each column, so that the rounding error grows less with the number of entries
	}
	return math.Sqrt(squares)
}
