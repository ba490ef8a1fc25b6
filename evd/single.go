package evd

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// single implements the interface `doubles` for float32. It has device memory in single precision
// for the tridiagonal matrix, for eigenvalues and for the vectors S, and converts between single
// and double precision on the device.
type single struct {
	convert *stages.Conversion

	// d and e hold the tridiagonal matrix, lambda holds the eigenvalues of a check, and x holds the
	// vectors.
	d, e, lambda, x vk.Region[float32]
}

func newSingle(dev *vk.Device, n, m int) (*single, error) {
	convert, err := stages.NewConversion(dev)
	reals := func(name string, n int) vk.Region[float32] { return vk.Reserve[float32](name, n) }
	return &single{
		convert, reals("d, single", n), reals("e, single", n), reals("eigenvalues, single", n),
		reals("vectors, transposed, single", n*m),
	}, err
}

func (s *single) always() *vk.Layout { return vk.Together(s.d, s.e, s.lambda) }

func (s *single) rows() *vk.Layout { return vk.Together(s.x) }

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

func (s *single) emulates() bool { return false }

func (s *single) emulate(*products[float32], func() (emulation, error)) error {
	return spectrum.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
}

func (s *single) tridiagonal(ws *vk.Arena, _ *spectrum.Stage) stages.Tridiagonal[float32] {
	return stages.Tridiagonal[float32]{D: s.d.In(ws), E: s.e.In(ws)}
}

// widen records the conversion of the tridiagonal matrix to double precision. It leaves out the
// last element of E, which is not used and may have any value.
func (s *single) widen(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) {
	s.convert.RecordWiden(rec, s.d.In(ws), t.D(ws))
	s.convert.RecordWiden(rec, s.e.In(ws).Sub(0, s.e.Len()-1), t.E(ws))
}

func (s *single) values(rec *vk.Recorder, ws *vk.Arena, _ *spectrum.Stage, lambda []float64) vk.Slice[float32] {
	vk.SendFirst(rec, s.lambda.In(ws), spectrum.Unscale[float32](lambda, 1))
	return s.lambda.In(ws)
}

func (s *single) vectors(ws *vk.Arena, x product.Matrix[float64]) product.Matrix[float32] {
	return product.NewMatrix(s.x.In(ws), x.Rows, x.Cols, x.Ld)
}

func (s *single) narrow(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[float64]) {
	rec.Phase(stages.PhaseNarrow, 0, 1)
	s.convert.RecordNarrow(rec, x.At.Sub(0, elements(x)), s.x.In(ws))
}

func (s *single) widened(
	rec *vk.Recorder, z product.Matrix[float32], x product.Matrix[float64],
) product.Matrix[float64] {
	s.convert.RecordWiden(rec, z.At.Sub(0, elements(z)), x.At)
	return x
}

// elements returns how many elements of memory the matrix x spans, from its first to its last
// element, including the gaps between columns. x must not be empty.
func elements[T Float](x product.Matrix[T]) int { return (x.Cols-1)*x.Ld + x.Rows }
