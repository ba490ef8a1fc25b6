package precision

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// single is the memory of float32.
type single struct{ Memory }

func (s *single) Always() *vk.Layout {
	return vk.Together(append(spaces(s.Reals), s.Memory.Values)...)
}

func (s *single) Rows() *vk.Layout { return vk.Together(spaces(s.Memory.Rows)...) }

func (s *single) Resize(side int, rows vk.Region[float32]) { s.Memory.Rows[side] = rows }

func (s *single) Real(ws *vk.Arena, i int, _ vk.Slice[float64]) vk.Slice[float32] {
	return s.Reals[i].In(ws)
}

func (s *single) Values(rec *vk.Recorder, ws *vk.Arena, _ vk.Slice[float64], values []float64) vk.Slice[float32] {
	rounded := make([]float32, len(values))
	for i, x := range values {
		rounded[i] = float32(x)
	}
	vk.SendFirst(rec, s.Memory.Values.In(ws), rounded)
	return s.Memory.Values.In(ws)
}

func (s *single) Vectors(ws *vk.Arena, side int, _ vk.Slice[float64]) vk.Slice[float32] {
	return s.Memory.Rows[side].In(ws)
}

func spaces(regions []vk.Region[float32]) (all []vk.Space) {
	for _, r := range regions {
		all = append(all, r)
	}
	return all
}

// onDevice implements Doubles for float32 on a device that computes in double precision, too.
type onDevice struct {
	single
	convert *move.Conversion
}

func newOnDevice(dev *vk.Device, m Memory) (*onDevice, error) {
	convert, err := move.NewConversion(dev)
	return &onDevice{single{m}, convert}, err
}

func (*onDevice) OnHost() bool { return false }

// Products are new, because the plan's products are in single precision.
func (*onDevice) Products(dev *vk.Device, _ product.Ops[float32], t product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	ops, err := product.New[float64](dev, t)
	if err != nil {
		return nil, nil, err
	}
	return ops, ops.Work(), nil
}

func (d *onDevice) WidenReals(rec *vk.Recorder, ws *vk.Arena, wide ...vk.Slice[float64]) {
	for i, to := range wide {
		d.convert.RecordWiden(rec, d.Reals[i].In(ws).Sub(0, to.Len()), to)
	}
}

func (d *onDevice) Narrow(rec *vk.Recorder, ws *vk.Arena, side int, x stages.Matrix) {
	rec.Phase(stages.PhaseNarrow, 0, 1)
	d.convert.RecordNarrow(rec, x.At.Sub(0, Elements(x)), d.Memory.Rows[side].In(ws))
}

func (d *onDevice) Widen(rec *vk.Recorder, z product.Matrix[float32], x stages.Matrix) stages.Matrix {
	d.convert.RecordWiden(rec, z.At.Sub(0, Elements(z)), x.At)
	return x
}

// onHost implements Doubles for float32 on a device without double precision.
type onHost struct{ single }

func (*onHost) OnHost() bool { return true }

func (*onHost) Products(*vk.Device, product.Ops[float32], product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	return nil, vk.Together(), nil
}

func (*onHost) WidenReals(*vk.Recorder, *vk.Arena, ...vk.Slice[float64]) {}

func (*onHost) Narrow(*vk.Recorder, *vk.Arena, int, stages.Matrix) {}

// Widen is not called, because the host measures results.
func (*onHost) Widen(_ *vk.Recorder, _ product.Matrix[float32], x stages.Matrix) stages.Matrix {
	return x
}
