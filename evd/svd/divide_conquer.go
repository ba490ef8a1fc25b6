package svd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/vk"
)

// bidiagonalVectors finds singular vectors of the bidiagonal matrix C = S·Σ·Wᵀ in double precision.
type bidiagonalVectors interface {
	// Work is the device memory that `solve` needs, and Flops is the largest possible number of its
	// operations for the vectors of both sides.
	Work() *vk.Layout
	Flops() float64

	// solve finds the vectors of the values with the indices from … to−1; the largest has index 0. d
	// is the diagonal of C, and e is the superdiagonal. x[left] and x[right] receive the vectors as
	// rows. They are the matrices of doubles.conquered, or Matrix{} for a side that is not wanted.
	solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error
}

// divideConquer is the method of Gu and Eisenstat on the device.
type divideConquer struct{ *stedc.BidiagonalConquer }

func (s divideConquer) solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error {
	_, profile, err := s.Reporting(c.Reporter()).SolveRange(c.Ctx, c.Arena, d, e, from, to, x[left], x[right])
	c.Profile.Merge(profile)
	return plan.NotConverged(err, stages.PhaseBidiagonal)
}

// iteration is QR iteration on the host, for the safe path. The device receives the vectors.
type iteration struct {
	*steqr.BidiagonalQR
	bidiagonalVectors // the method that the iteration replaces; its memory and its number of operations count
}

func (s iteration) solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error {
	_, profile, err := s.SolveRange(c.Ctx, d, e, from, to, x[left], x[right])
	c.Profile.Merge(profile)
	return plan.NotConverged(err, stages.PhaseBidiagonal)
}

// bidiagonalOf returns the diagonal and the superdiagonal of the matrix C whose Golub-Kahan form is t.
func bidiagonalOf(t spectrum.Tridiagonal) (d, e []float64) {
	n := len(t.D) / 2
	d, e = make([]float64, n), make([]float64, n-1)
	for i := range d {
		if d[i] = t.E[2*i]; i < n-1 {
			e[i] = t.E[2*i+1]
		}
	}
	return d, e
}
