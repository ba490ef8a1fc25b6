package evd

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Certificate says how accurate a result was measured to be. Each number is an error divided by the
// error that rounding may cause, and must be below Threshold. If an input of a number is NaN, the
// number is +Inf.
//
// With vectors, small Ratios prove the result, however it was computed: orthonormal vectors with a
// small residual are eigenvectors of a matrix near A. Counts then proves that no eigenvalue is
// missing. Without vectors, Counts proves that the values are those of T, the tridiagonal matrix to
// which A was reduced. Only Invariants then compares T with A. A wrong T makes Invariants large,
// unless both trace and norm of T happen to be right.
type Certificate struct {
	// Ratios measures the vectors, as Plan.Check does. Its numbers are 0 if no vectors were wanted.
	Ratios

	// Counts is w / (n·ulp·‖T‖₁). Sturm counts prove that each value is within the distance w of
	// the eigenvalue with the same index of the tridiagonal matrix T.
	Counts float64 `json:"counts"`

	// Invariants is the larger of |tr A − tr T| and | ‖A‖F − ‖T‖F |, divided by n·ulp·‖A‖F. T is
	// the tridiagonal matrix to which A was reduced.
	Invariants float64 `json:"invariants"`

	// Safe says that the first result did not pass its certificate, and that this result comes from
	// a second solve on the safe path, which uses slower and simpler methods.
	Safe bool `json:"safe"`
}

// Passed reports whether the result has passed: whether all numbers of the certificate are below
// Threshold.
func (c *Certificate) Passed() bool {
	return c.Ratios.Passed() && c.Counts < Threshold && c.Invariants < Threshold
}

// String lists the numbers of the certificate in one line.
func (c *Certificate) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g, Sturm counts %.3g, invariants %.3g",
		c.Residual, c.Orthogonality, c.Counts, c.Invariants)
}

// certifyValues makes the certificate of a solve without vectors. It compares the values of the
// part `p` of the spectrum with the tridiagonal matrix T, and T with σ·A, the scaled input matrix.
// T must still be on the device.
func (s *solve[T]) certifyValues(a Sym[T], sigma float64, p spectrum.Part) (*Certificate, error) {
	t := s.steps.spectrum
	var received func() spectrum.Tridiagonal
	err := s.Run(func(rec *vk.Recorder) { received = s.doubles.receive(rec, s.Arena, t) })
	if err != nil {
		return nil, plan.During(stages.PhaseCounts, err)
	}
	on := received()
	c := &Certificate{Invariants: invariants(a, sigma, on)}
	if len(p.Values) > 0 {
		norm := max(on.Norm1(), spectrum.SafeMinOf[T]()*sigma)
		c.Counts, err = t.Certify(s.Call, p.Values, p.First, norm, spectrum.UlpOf[T]())
	}
	return c, err
}

// invariants returns the larger of |tr(σA) − tr(T)| and |‖σA‖F − ‖T‖F|, divided by n·ulp·‖σA‖F. An
// orthogonal similarity changes neither the trace nor the norm.
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
	norm, unit := math.Sqrt(squaresA), float64(a.N)*spectrum.UlpOf[T]()
	return plan.Ratio([]float64{math.Abs(traceA - traceT), math.Abs(norm - math.Sqrt(squaresT))}, norm, unit)
}
