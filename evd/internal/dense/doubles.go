package dense

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Doubles converts between the number type T of a solve and double precision, in which the
// tridiagonal problem is solved for every T.
type Doubles[T spirv.Scalar] struct {
	precision.Doubles[T]

	// The last component of each vector that the host has computed is multiplied by phase: see
	// precision.RealTridiagonal.
	phase *T
}

// NewDoubles makes the conversions for order n and at most m vectors.
func NewDoubles[T spirv.Scalar](dev *vk.Device, n, m int) (Doubles[T], error) {
	d, err := precision.New[T](dev, precision.Memory[T]{
		Reals:  []vk.Region[T]{own[T]("d", n), own[T]("e", n)},
		Values: own[T]("eigenvalues", n), Rows: []vk.Region[T]{ownRows[T](n, m)},
	}, InSinglePrecision)
	phase := T(1)
	return Doubles[T]{d, &phase}, err
}

// `own` reserves memory for numbers of type T. The same numbers are also in other memory, as real
// doubles.
func own[T spirv.Scalar](name string, elements int) vk.Region[T] {
	kind := ", single"
	if spirv.KindOf[T]().IsComplex() {
		kind = ", complex"
	}
	return vk.Reserve[T](name+kind, elements)
}

func ownRows[T spirv.Scalar](n, m int) vk.Region[T] { return own[T]("vectors, transposed", n*m) }

// HoldOnly limits the memory of the vectors to m vectors, for order n.
func (d Doubles[T]) HoldOnly(n, m int) { d.Resize(0, ownRows[T](n, m)) }

// InSinglePrecision is advice for users of devices that do not compute in double precision.
const InSinglePrecision = "plans for float32 work there (vkevd solve --precision f32)"

// Stage makes the stage for the tridiagonal problem. The arguments are those of spectrum.New.
func (d Doubles[T]) Stage(dev *vk.Device, n int, opt spectrum.Options, counts bool, ops product.Ops[float64], t tuning.Tuning) (*spectrum.Stage, error) {
	if d.OnHost() {
		return spectrum.NewOnHost(n, opt), nil
	}
	return spectrum.New(dev, n, opt, counts, ops, t)
}

// Tridiagonal returns the device memory to which the reduction writes the tridiagonal matrix.
// Receive records that this matrix is converted to doubles, in the memory in which t expects it,
// and that it is copied to the host. If the device has no double precision, the matrix is only
// copied, and the host converts it. The result of Receive is called after the recording has been
// executed, and returns the host's copy.
func (d Doubles[T]) Tridiagonal(ws *vk.Arena, t *spectrum.Stage) stages.Tridiagonal[T] {
	return stages.Tridiagonal[T]{D: d.Real(ws, 0, t.D(ws)), E: d.Real(ws, 1, t.E(ws))}
}

func (d Doubles[T]) Receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal {
	of := d.Tridiagonal(ws, t)
	n := of.D.Len()
	if !d.OnHost() { // t.E has n elements, of which the last is not used
		d.WidenReals(rec, ws, t.D(ws), t.E(ws).Sub(0, n-1))
		host := t.Receive(rec, ws)
		return func() spectrum.Tridiagonal { return host }
	}
	diagonal, off := make([]T, n), make([]T, n-1)
	vk.ReceiveLast(rec, diagonal, of.D)
	vk.ReceiveLast(rec, off, of.E)
	return func() spectrum.Tridiagonal {
		var host spectrum.Tridiagonal
		host, *d.phase = precision.RealTridiagonal(diagonal, off)
		t.Hold(host)
		return host
	}
}

// Eigenvectors returns the device memory of the vectors S of the tridiagonal matrix, for stages
// that compute in the type T. The argument x is S in double precision, or memory of the same size.
// If the device has no double precision, the host has computed the vectors, and Upload copies them
// to this memory. Otherwise Upload does nothing.
func (d Doubles[T]) Eigenvectors(ws *vk.Arena, x stages.Matrix) product.Matrix[T] {
	return product.Matrix[T]{Rows: x.Rows, Cols: x.Cols, Ld: x.Ld, At: d.Vectors(ws, 0, x.At)}
}

func (d Doubles[T]) Upload(c *plan.Call, t *spectrum.Stage) error {
	if !d.OnHost() {
		return nil
	}
	rows := spectrum.HostVectors[T](c, t)
	if len(rows.Data) == 0 {
		return nil
	}
	for i := (rows.Cols - 1) * rows.Ld; *d.phase != 1 && i < len(rows.Data); i++ {
		rows.Data[i] *= *d.phase
	}
	return plan.During(stages.PhaseNarrow, vk.Upload(c.Ctx, c.Dev, d.Vectors(c.Arena, 0, vk.Slice[float64]{}), rows))
}
