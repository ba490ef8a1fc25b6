package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// hosted implements doubles for float32 on a device without double precision. The host converts the
// tridiagonal matrix to doubles, solves the tridiagonal problem, converts its vectors S to single
// precision, and uploads them.
type hosted struct{ singleMemory }

func newHosted(n, m int) *hosted { return &hosted{newSingleMemory(n, m)} }

// products returns no products, because the host has its own.
func (h *hosted) products(*vk.Device, product.Ops[float32], tuning.Tuning) (product.Ops[float64], *vk.Layout, error) {
	return nil, vk.Together(), nil
}

func (h *hosted) ownProducts(*vk.Device, tuning.Tuning) (product.Ops[float64], error) {
	return nil, nil
}

func (h *hosted) stage(
	_ *vk.Device, n int, opt spectrum.Options, _ bool, _ product.Ops[float64], _ tuning.Tuning,
) (*spectrum.Stage, error) {
	return spectrum.NewOnHost(n, opt), nil
}

func (h *hosted) receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal {
	d, e := make([]float32, h.d.Len()), make([]float32, h.e.Len()-1)
	vk.ReceiveLast(rec, d, h.d.In(ws))
	vk.ReceiveLast(rec, e, h.e.In(ws))
	return func() spectrum.Tridiagonal {
		host := spectrum.Tridiagonal{D: spectrum.Scale(d, 1), E: spectrum.Scale(e, 1)}
		t.Hold(host)
		return host
	}
}

func (h *hosted) narrow(*vk.Recorder, *vk.Arena, product.Matrix[float64]) {}

func (h *hosted) upload(c *plan.Call, t *spectrum.Stage) error {
	rows := spectrum.HostVectors[float32](c, t)
	if len(rows.Data) == 0 {
		return nil
	}
	return plan.During(stages.PhaseNarrow, vk.Upload(c.Ctx, c.Dev, h.x.In(c.Arena), rows))
}

func (h *hosted) sums(*vk.Device, int, int, product.Ops[float64]) (columnSums[float32], error) {
	return sumsOnHost[float32]{}, nil
}
