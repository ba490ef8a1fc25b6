package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// bidiagonalVectors finds singular vectors of the bidiagonal matrix C = S·Σ·Wᵀ in double precision.
type bidiagonalVectors interface {
	// Work is the device memory that `solve` needs, and Flops is the largest number of its
	// operations, for both sides.
	Work() *vk.Layout
	Flops() float64

	// solve finds the vectors of the values `from` … `to`−1; the largest has index 0. d and e are
	// the diagonal and the superdiagonal of C. x[left] and x[right] receive the vectors as rows:
	// they are the matrices of doubles.conquered, or Matrix{} for a side that is not wanted. A
	// solver on the host writes to doubles.vectors in their place.
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
	bidiagonalVectors // the method that QR iteration replaces; Work and Flops are those of this method
}

func (s iteration) solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error {
	_, profile, err := s.SolveRange(c.Ctx, d, e, from, to, x[left], x[right])
	c.Profile.Merge(profile)
	return plan.NotConverged(err, stages.PhaseBidiagonal)
}

// bidiagonalOf returns diagonal and superdiagonal of the matrix C whose Golub-Kahan form is t.
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

func newBidiagonalVectors[T evd.Number](dev *vk.Device, d doubles[T], n int, ops product.Ops[float64], t tuning.Tuning) (bidiagonalVectors, error) {
	if d.OnHost() {
		return divideConquerOnHost[T]{d, n, hostLeaf}, nil
	}
	s, err := stedc.NewBidiagonalConquer(dev, n, ops, t.Double().Products, t.DivideConquer)
	return divideConquer{s}, err
}

func iterating[T evd.Number](dev *vk.Device, d doubles[T], n int, of bidiagonalVectors) bidiagonalVectors {
	if d.OnHost() {
		return divideConquerOnHost[T]{d, n, n} // with a single leaf, which QR iteration solves
	}
	return iteration{steqr.NewBidiagonalQR(dev, n), of}
}

const hostLeaf = 32

// divideConquerOnHost is divide and conquer on the host. It uploads the vectors, in the type T, to
// the memory of `to`.
type divideConquerOnHost[T evd.Number] struct {
	to      doubles[T]
	n, leaf int
}

func (divideConquerOnHost[T]) Work() *vk.Layout { return vk.Together() }

// Flops is the number of operations without deflation.
func (s divideConquerOnHost[T]) Flops() float64 { n := float64(s.n); return 8.0 / 3 * n * n * n }

func (s divideConquerOnHost[T]) solve(c *plan.Call, d, e []float64, from, to int, x [2]stages.Matrix) error {
	host := bidiagonal.NewHost(s.n)
	host.Wanted = [2]bool{bidiagonal.Left: x[left].Ld > 0, bidiagonal.Right: x[right].Ld > 0}
	err := c.OnHost(stages.PhaseBidiagonal, func(w *plan.HostWork) error {
		host.Stop, host.Progress = w.Stop, w.Progress
		_, err := bidiagonal.SolveWith(host, d, e, bidiagonal.Options{LeafSize: s.leaf, From: from, To: to})
		return err
	})
	if err != nil {
		return plan.NotConverged(err, stages.PhaseBidiagonal)
	}
	for of, vectors := range [2][]float64{left: host.Result(bidiagonal.Left), right: host.Result(bidiagonal.Right)} {
		if x[of].Ld == 0 {
			continue
		}
		rows := spectrum.Transposed[T](s.n, vectors)
		if phase := s.to.phases[of]; phase != 1 { // the last component of each vector is multiplied by the phase
			for i := (rows.Cols - 1) * rows.Ld; i < len(rows.Data); i++ {
				rows.Data[i] *= phase
			}
		}
		if err := vk.Upload(c.Ctx, c.Dev, s.to.vectors(c.Arena, side(of)), rows); err != nil {
			return plan.During(stages.PhaseNarrow, err)
		}
	}
	return nil
}
