package evd

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// single implements the interface `doubles` for float32. It has device memory in single precision
// for the tridiagonal matrix, for eigenvalues and for the vectors S, and converts between single
// and double precision on the device.
type single struct {
	singleMemory
	convert *move.Conversion
}

// singleMemory is device memory in single precision.
type singleMemory struct {
	// d and e hold the tridiagonal matrix, lambda holds the eigenvalues of a check, and x holds the
	// vectors.
	d, e, lambda, x vk.Region[float32]
}

func newSingle(dev *vk.Device, n, m int) (*single, error) {
	convert, err := move.NewConversion(dev)
	return &single{newSingleMemory(n, m), convert}, err
}

// newSingleMemory reserves the memory for order n and at most m vectors.
func newSingleMemory(n, m int) singleMemory {
	reals := func(name string, n int) vk.Region[float32] { return vk.Reserve[float32](name, n) }
	s := singleMemory{d: reals("d, single", n), e: reals("e, single", n), lambda: reals("eigenvalues, single", n)}
	s.limit(m)
	return s
}

func (s *singleMemory) limit(m int) {
	s.x = vk.Reserve[float32]("vectors, transposed, single", s.d.Len()*m)
}

func (s *singleMemory) always() *vk.Layout { return vk.Together(s.d, s.e, s.lambda) }

func (s *singleMemory) rows() *vk.Layout { return vk.Together(s.x) }

// products returns double-precision matrix products for the tridiagonal problem, and the layout of
// their workspace. They are new, because the plan's own products are in single precision.
func (s *single) products(
	dev *vk.Device, _ product.Ops[float32], t tuning.Tuning,
) (product.Ops[float64], *vk.Layout, error) {
	ops, err := product.New[float64](dev, t.Double().Products)
	if err != nil {
		return nil, nil, err
	}
	return ops, ops.Work(), nil
}

func (s *single) ownProducts(dev *vk.Device, t tuning.Tuning) (product.Ops[float64], error) {
	return product.New[float64](dev, t.Products)
}

func (s *singleMemory) emulates() bool { return false }

func (s *singleMemory) emulate(*products[float32], int, func() (emulation.Maker, error)) error {
	return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
}

func (s *singleMemory) tridiagonal(ws *vk.Arena, _ *spectrum.Stage) stages.Tridiagonal[float32] {
	return stages.Tridiagonal[float32]{D: s.d.In(ws), E: s.e.In(ws)}
}

func (s *single) stage(
	dev *vk.Device, n int, opt spectrum.Options, counts bool, ops product.Ops[float64], t tuning.Tuning,
) (*spectrum.Stage, error) {
	return spectrum.New(dev, n, opt, counts, ops, t)
}

// receive does not convert the last element of E, because it is not used and may have any value.
func (s *single) receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal {
	s.convert.RecordWiden(rec, s.d.In(ws), t.D(ws))
	s.convert.RecordWiden(rec, s.e.In(ws).Sub(0, s.e.Len()-1), t.E(ws))
	host := t.Receive(rec, ws)
	return func() spectrum.Tridiagonal { return host }
}

func (s *singleMemory) values(rec *vk.Recorder, ws *vk.Arena, _ *spectrum.Stage, lambda []float64) vk.Slice[float32] {
	vk.SendFirst(rec, s.lambda.In(ws), spectrum.Unscale[float32](lambda, 1))
	return s.lambda.In(ws)
}

func (s *singleMemory) vectors(ws *vk.Arena, x product.Matrix[float64]) product.Matrix[float32] {
	return product.NewMatrix(s.x.In(ws), x.Rows, x.Cols, x.Ld)
}

func (s *single) narrow(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[float64]) {
	rec.Phase(stages.PhaseNarrow, 0, 1)
	s.convert.RecordNarrow(rec, x.At.Sub(0, elements(x)), s.x.In(ws))
}

func (s *single) upload(*plan.Call, *spectrum.Stage) error { return nil }

func (s *single) sums(dev *vk.Device, n, m int, ops product.Ops[float64]) (columnSums[float32], error) {
	widened := func(rec *vk.Recorder, z product.Matrix[float32], x product.Matrix[float64]) product.Matrix[float64] {
		s.convert.RecordWiden(rec, z.At.Sub(0, elements(z)), x.At)
		return x
	}
	return newSumsOnDevice(dev, n, m, ops, widened)
}

// elements returns how many elements of memory the matrix x spans, from its first to its last
// element, including the gaps between columns. x must not be empty.
func elements[T Float](x product.Matrix[T]) int { return (x.Cols-1)*x.Ld + x.Rows }
