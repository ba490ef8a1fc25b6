package svd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// newGolubKahan makes the stage that finds singular values σ of a bidiagonal matrix of order n: the
// largest ones, or all if `largest` is 0. The Golub-Kahan form of this matrix is a tridiagonal
// matrix of order 2n with the eigenvalues ±σ. The stage finds the largest eigenvalues of this form. If
// the device does not compute in double precision, the host finds them, and `ops` is not used.
func newGolubKahan(dev *vk.Device, n, largest int, certify bool, ops product.Ops[float64], t tuning.Tuning) (*spectrum.Stage, error) {
	if largest == 0 {
		largest = n
	}
	opt := spectrum.Options{Select: spectrum.Index(2*n-largest, 2*n), Solver: spectrum.Bisection}
	if !dev.Info().Float64() {
		return spectrum.NewGolubKahanOnHost(2*n, opt), nil
	}
	return spectrum.New(dev, 2*n, opt, certify, ops, t)
}

// receiver brings the bidiagonal matrix C, stored as numbers of S, to the stage gk that finds its
// values, and to the host. `off` is the off-diagonal of the Golub-Kahan form of C, in device memory.
// The result of `receive` returns the Golub-Kahan form after the recording has been executed.
type receiver[S spirv.Stored] interface {
	receive(rec *vk.Recorder, ws *vk.Arena, off vk.Slice[S], gk *spectrum.Stage) func() spectrum.Tridiagonal
}

// newReceiver makes the receiver for the device. The device converts C to doubles, or the host if the
// device does not compute in double precision.
func newReceiver[S spirv.Stored](dev *vk.Device) (receiver[S], error) {
	if !dev.Info().Float64() {
		return receiverOnHost[S]{}, nil
	}
	widen, err := stages.NewWidening[S](dev)
	return receiverOnDevice[S]{widen}, err
}

type receiverOnDevice[S spirv.Stored] struct{ widen *stages.Widening[S] }

func (r receiverOnDevice[S]) receive(
	rec *vk.Recorder, ws *vk.Arena, off vk.Slice[S], gk *spectrum.Stage,
) func() spectrum.Tridiagonal {
	r.widen.Record(rec, off, gk.E(ws).Sub(0, off.Len()))
	return receiveFrom(rec, ws, gk)
}

// receiveFrom records that the diagonal of the Golub-Kahan form is set to zero, and that the form is
// copied to the host. Its off-diagonal must be in the memory of gk.
func receiveFrom(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	vk.Fill(rec, gk.D(ws), 0)
	host := gk.Receive(rec, ws)
	return func() spectrum.Tridiagonal { return host }
}

type receiverOnHost[S spirv.Stored] struct{}

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
