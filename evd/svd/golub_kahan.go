package svd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// newGolubKahan makes the stage that finds the singular values σ of a bidiagonal matrix of order n
// that `part` selects. The Golub-Kahan form of this matrix is tridiagonal, of order 2n, with the
// eigenvalues ±σ. If the device does not compute in double precision, the host finds the values,
// and `ops` is not used.
func newGolubKahan(dev *vk.Device, n int, part spectrum.Selection, certify bool, ops product.Ops[float64], t tuning.Tuning) (*spectrum.Stage, error) {
	opt := spectrum.Options{Select: spectrum.Singular(part, n), Solver: spectrum.Bisection}
	if !dev.Info().Float64() {
		return spectrum.NewGolubKahanOnHost(2*n, opt), nil
	}
	return spectrum.New(dev, 2*n, opt, certify, ops, t)
}

// found returns which singular values a part of the eigenvalues of a Golub-Kahan form of order 2n
// holds: k values from index `from` on.
func found(p spectrum.Part, n int) (from, k int) { return 2*n - p.First - len(p.Values), len(p.Values) }

// receiver brings the bidiagonal matrix C, stored as numbers of S, to the stage gk, which finds its
// values, and to the host. `off` is the off-diagonal of the Golub-Kahan form of C on the device.
// The function that `receive` returns gives the Golub-Kahan form after the recording has run.
type receiver[S spirv.StoredReal] interface {
	receive(rec *vk.Recorder, ws *vk.Arena, off vk.Slice[S], gk *spectrum.Stage) func() spectrum.Tridiagonal
}

func newReceiver[S spirv.StoredReal](dev *vk.Device) (receiver[S], error) {
	if !dev.Info().Float64() {
		return receiverOnHost[S]{}, nil
	}
	widen, err := move.NewWidening[S](dev)
	return receiverOnDevice[S]{widen}, err
}

type receiverOnDevice[S spirv.StoredReal] struct{ widen *move.Widening[S] }

func (r receiverOnDevice[S]) receive(
	rec *vk.Recorder, ws *vk.Arena, off vk.Slice[S], gk *spectrum.Stage,
) func() spectrum.Tridiagonal {
	r.widen.Record(rec, off, gk.E(ws).Sub(0, off.Len()))
	return receiveFrom(rec, ws, gk)
}

// receiveFrom sets the diagonal of the Golub-Kahan form to zero, and copies the form to the host.
// The stage gk must have its off-diagonal already.
func receiveFrom(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	vk.Fill(rec, gk.D(ws), 0)
	host := gk.Receive(rec, ws)
	return func() spectrum.Tridiagonal { return host }
}

type receiverOnHost[S spirv.StoredReal] struct{}

func (receiverOnHost[S]) receive(
	rec *vk.Recorder, _ *vk.Arena, off vk.Slice[S], gk *spectrum.Stage,
) func() spectrum.Tridiagonal {
	received, widen := make([]S, off.Len()), widening[S]()
	vk.ReceiveLast(rec, received, off)
	return func() spectrum.Tridiagonal {
		t := spectrum.Tridiagonal{D: make([]float64, off.Len()+1), E: make([]float64, off.Len())}
		for i, x := range received {
			t.E[i] = widen(x)
		}
		gk.Hold(t)
		return t
	}
}
