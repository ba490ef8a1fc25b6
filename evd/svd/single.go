package svd

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// single implements doubles for float32. It has device memory in single precision for the bidiagonal
// matrix, for singular values and for the vectors, and converts between the precisions on the device.
type single struct {
	singleMemory
	onDevice
	receiver[float32]
	convert *move.Conversion
	ops     product.Ops[float64]

	// x holds the vectors of divide and conquer in double precision.
	x [2]vk.Region[float64]
}

// singleMemory is device memory in single precision.
type singleMemory struct {
	// e holds the 2·n−1 elements of the bidiagonal matrix C, as the off-diagonal of its Golub-Kahan
	// form. `sigma` holds the values of a check. `narrowed` holds vectors.
	e, sigma vk.Region[float32]
	narrowed [2]vk.Region[float32]
}

func newSingleMemory(of shape) (d singleMemory) {
	d.e, d.sigma = vk.Reserve[float32]("C, single", 2*of.cols-1), vk.Reserve[float32]("values, single", of.k)
	for at := range d.narrowed {
		elements := 0
		if of.wants[at] != None {
			elements = of.k * of.length(side(at))
		}
		d.narrowed[at] = vk.Reserve[float32](sideNames[at]+", single", elements)
	}
	return d
}

func newSingle(dev *vk.Device, of shape) (d *single, err error) {
	d = &single{singleMemory: newSingleMemory(of)}
	if d.convert, err = move.NewConversion(dev); err != nil {
		return d, err
	}
	for at := range d.x {
		elements := 0
		if of.wants[at] != None {
			elements = of.cols * of.cols
		}
		d.x[at] = vk.Reserve[float64](sideNames[at], elements)
	}
	d.receiver, err = newReceiver[float32](dev)
	return d, err
}

func (d *singleMemory) always() *vk.Layout { return vk.Together(d.e, d.sigma) }

func (d *single) wide() *vk.Layout { return vk.Together(d.x[left], d.x[right]) }

func (d *singleMemory) rows() *vk.Layout { return vk.Together(d.narrowed[left], d.narrowed[right]) }

func (d *single) products(dev *vk.Device, _ product.Ops[float32], t tuning.Tuning) (_ product.Ops[float64], err error) {
	d.ops, err = product.New[float64](dev, t.Double().Products)
	return d.ops, err
}

func (d *single) extra() *vk.Layout { return d.ops.Work() }

// emulate returns an *evd.OptionError: emulation replaces double precision.
func (d *singleMemory) emulate(*products[float32], choice, rooms, int, func() (emulation.Maker, error)) error {
	return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
}

func (*singleMemory) toHalf(dev *vk.Device) (func(*vk.Recorder, vk.Slice[float32], vk.Slice[spirv.Float16]), error) {
	round, err := move.NewHalfRounding(dev)
	return round.Record, err
}

func (d *singleMemory) bidiagonal(ws *vk.Arena, _ *spectrum.Stage) chase.Bidiagonal[float32] {
	return chase.GolubKahan(d.e.In(ws))
}

func (d *single) receive(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	return d.receiver.receive(rec, ws, d.e.In(ws), gk)
}

func (d *singleMemory) values(rec *vk.Recorder, ws *vk.Arena, _ *spectrum.Stage, sigma []float64) vk.Slice[float32] {
	vk.SendFirst(rec, d.sigma.In(ws), spectrum.Unscale[float32](sigma, 1))
	return d.sigma.In(ws)
}

func (d *single) conquered(ws *vk.Arena, of side, k, n int) stages.Matrix {
	return stages.NewMatrix(d.x[of].In(ws), k, n, k)
}

func (d *single) narrow(rec *vk.Recorder, ws *vk.Arena, of side, x stages.Matrix) {
	rec.Phase(stages.PhaseNarrow, 0, 1)
	d.convert.RecordNarrow(rec, x.At.Sub(0, x.Ld*x.Cols), d.narrowed[of].In(ws))
}

func (d *singleMemory) vectors(ws *vk.Arena, of side) vk.Slice[float32] { return d.narrowed[of].In(ws) }
