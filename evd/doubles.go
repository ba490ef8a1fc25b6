package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// doubles converts between the number type T of a plan and double precision, in which the tridiagonal
// problem is solved for every T.
type doubles[T Float] struct{ precision.Doubles[T] }

// newDoubles makes the conversions for order n and at most m vectors.
func newDoubles[T Float](dev *vk.Device, n, m int) (doubles[T], error) {
	singles := func(name string) vk.Region[float32] { return vk.Reserve[float32](name, n) }
	d, err := precision.New[T](dev, precision.Memory{
		Reals:  []vk.Region[float32]{singles("d, single"), singles("e, single")},
		Values: singles("eigenvalues, single"), Rows: []vk.Region[float32]{singleRows(n, m)},
	}, inSinglePrecision)
	return doubles[T]{d}, err
}

func singleRows(n, m int) vk.Region[float32] {
	return vk.Reserve[float32]("vectors, transposed, single", n*m)
}

// inSinglePrecision is advice for users of devices that do not compute in double precision.
const inSinglePrecision = "plans for float32 work there (vkevd solve --precision f32)"

// stage makes the stage that solves the tridiagonal problem. The arguments are those of spectrum.New.
func (d doubles[T]) stage(dev *vk.Device, n int, opt spectrum.Options, counts bool, ops product.Ops[float64], t tuning.Tuning) (*spectrum.Stage, error) {
	if d.OnHost() {
		return spectrum.NewOnHost(n, opt), nil
	}
	return spectrum.New(dev, n, opt, counts, ops, t)
}

// tridiagonal returns the device memory to which the reduction writes the tridiagonal matrix.
// `receive` records that this matrix is converted to the memory in which t expects it, and copied to
// the host. Its result returns the host's copy after the recording has been executed.
func (d doubles[T]) tridiagonal(ws *vk.Arena, t *spectrum.Stage) stages.Tridiagonal[T] {
	return stages.Tridiagonal[T]{D: d.Real(ws, 0, t.D(ws)), E: d.Real(ws, 1, t.E(ws))}
}

func (d doubles[T]) receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal {
	of := d.tridiagonal(ws, t)
	n := of.D.Len()
	if !d.OnHost() { // the last element of E is not used, and may have any value
		d.WidenReals(rec, ws, t.D(ws), t.E(ws).Sub(0, n-1))
		host := t.Receive(rec, ws)
		return func() spectrum.Tridiagonal { return host }
	}
	diagonal, off := make([]T, n), make([]T, n-1)
	vk.ReceiveLast(rec, diagonal, of.D)
	vk.ReceiveLast(rec, off, of.E)
	return func() spectrum.Tridiagonal {
		host := spectrum.Tridiagonal{D: spectrum.Scale(diagonal, 1), E: spectrum.Scale(off, 1)}
		t.Hold(host)
		return host
	}
}

// vectors returns the device memory of the vectors S of the tridiagonal matrix, for stages that
// compute in the type T. The argument x is S in double precision, or memory of the same size. `upload`
// copies vectors that the host has computed to this memory.
func (d doubles[T]) vectors(ws *vk.Arena, x stages.Matrix) product.Matrix[T] {
	return product.Matrix[T]{Rows: x.Rows, Cols: x.Cols, Ld: x.Ld, At: d.Vectors(ws, 0, x.At)}
}

func (d doubles[T]) upload(c *plan.Call, t *spectrum.Stage) error {
	if !d.OnHost() {
		return nil
	}
	rows := spectrum.HostVectors[T](c, t)
	if len(rows.Data) == 0 {
		return nil
	}
	return plan.During(stages.PhaseNarrow, vk.Upload(c.Ctx, c.Dev, d.Vectors(c.Arena, 0, vk.Slice[float64]{}), rows))
}
