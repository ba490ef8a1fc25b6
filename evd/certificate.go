package evd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Certificate says how accurate a result was measured to be. Each number is an error in units of
// the error that rounding may cause, and must be below Threshold. If anything is NaN, the number is
// +Inf.
//
// With vectors, small Ratios prove the result: orthonormal vectors with a small residual belong to
// a matrix near A, however they were found. Counts then proves that no eigenvalue is missing.
// Without vectors, Counts proves that the values are those of T, and Invariants is the only
// comparison of T with A: it is large if T is wrong, unless both sums happen to be right.
type Certificate struct {
	// Ratios are those of the vectors, as Plan.Check measures them. They are 0 without vectors.
	Ratios

	// Counts is the distance of the values to the eigenvalues of T with the same indices, by Sturm
	// counts, over n·ulp·‖T‖₁.
	Counts float64 `json:"counts"`

	// Invariants is the larger of |tr A − tr T| and | ‖A‖F − ‖T‖F |, over n·ulp·‖A‖F.
	Invariants float64 `json:"invariants"`

	// Safe says that the result was found on the safe path, after the first result had failed.
	Safe bool `json:"safe"`
}

// Passed tells whether all numbers are below Threshold.
func (c *Certificate) Passed() bool {
	return c.Ratios.Passed() && c.Counts < Threshold && c.Invariants < Threshold
}

// String lists the numbers of the certificate in one line.
func (c *Certificate) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g, Sturm counts %.3g, invariants %.3g",
		c.Residual, c.Orthogonality, c.Counts, c.Invariants)
}

// certifyValues measures the values against T, which must still be on the device, and T against
// σ·A.
func (s *solve[T]) certifyValues(a Sym[T], sigma float64, p spectrum.Part) (*Certificate, error) {
	t := s.steps.spectrum
	var on spectrum.Tridiagonal
	err := s.Run(func(rec *vk.Recorder) { on = t.Receive(rec, s.Arena) })
	if err != nil {
		return nil, spectrum.During(stages.PhaseCounts, err)
	}
	c := &Certificate{Invariants: invariants(a, sigma, on)}
	if len(p.Values) > 0 {
		c.Counts, err = t.Certify(s.Call, p.Values, p.First, max(on.Norm1(), spectrum.SafeMin*sigma))
	}
	return c, err
}

// invariants compares two quantities that an orthogonal similarity does not change: the traces and
// the Frobenius norms of σ·A and T.
func invariants[T Float](a Sym[T], sigma float64, t spectrum.Tridiagonal) float64 {
	var traceA, traceT, squaresA, squaresT float64
	for j := range a.N {
		from, to := a.column(j)
		column := 0.0 // a sum of its own, so that the rounding error does not grow with n²
		for i := from; i < to; i++ {
			x := float64(a.Data[i+j*a.Ld]) * sigma
			if i == j {
				traceA += x
				x /= math.Sqrt2
			}
			column += x * x
		}
		squaresA += 2 * column
	}
	for i, x := range t.D {
		traceT += x
		squaresT += x * x
		if i < len(t.E) {
			squaresT += 2 * t.E[i] * t.E[i]
		}
	}
	norm, unit := math.Sqrt(squaresA), float64(a.N)*spectrum.Ulp
	return max(quotient(math.Abs(traceA-traceT), norm, unit), quotient(math.Abs(norm-math.Sqrt(squaresT)), norm, unit))
}
