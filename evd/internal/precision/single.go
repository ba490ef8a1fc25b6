package precision

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// own is the memory of numbers of type T, for a T that is not float64.
type own[T spirv.Scalar] struct{ Memory[T] }

func (s *own[T]) Always() *vk.Layout {
	return vk.Together(append(spaces(s.Reals), s.Memory.Values)...)
}

func (s *own[T]) Rows() *vk.Layout { return vk.Together(spaces(s.Memory.Rows)...) }

func (s *own[T]) Resize(side int, rows vk.Region[T]) { s.Memory.Rows[side] = rows }

func (s *own[T]) Real(ws *vk.Arena, i int, _ vk.Slice[float64]) vk.Slice[T] {
	return s.Reals[i].In(ws)
}

func (s *own[T]) Values(rec *vk.Recorder, ws *vk.Arena, _ vk.Slice[float64], values []float64) vk.Slice[T] {
	vk.SendFirst(rec, s.Memory.Values.In(ws), spectrum.Unscale[T](values, 1))
	return s.Memory.Values.In(ws)
}

func (s *own[T]) Vectors(ws *vk.Arena, side int, _ vk.Slice[float64]) vk.Slice[T] {
	return s.Memory.Rows[side].In(ws)
}

func spaces[T any](regions []vk.Region[T]) (all []vk.Space) {
	for _, r := range regions {
		all = append(all, r)
	}
	return all
}

// onDevice implements Doubles for float32 on a device that computes in double precision, too.
type onDevice struct {
	own[float32]
	convert *move.Conversion
}

func newOnDevice(dev *vk.Device, m Memory[float32]) (*onDevice, error) {
	convert, err := move.NewConversion(dev)
	return &onDevice{own[float32]{m}, convert}, err
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

// onHost implements Doubles for single precision on a device without double precision.
type onHost[T spirv.Scalar] struct{ own[T] }

func (*onHost[T]) OnHost() bool { return true }

func (*onHost[T]) Products(*vk.Device, product.Ops[T], product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	return nil, vk.Together(), nil
}

func (*onHost[T]) WidenReals(*vk.Recorder, *vk.Arena, ...vk.Slice[float64]) {}

func (*onHost[T]) Narrow(*vk.Recorder, *vk.Arena, int, stages.Matrix) {}

// Widen is not called, because the host measures results.
func (*onHost[T]) Widen(_ *vk.Recorder, _ product.Matrix[T], x stages.Matrix) stages.Matrix {
	return x
}
