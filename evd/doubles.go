package evd

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// doubles converts between the number type T of a plan and double precision. The tridiagonal
// problem is solved in double precision for every T: the tridiagonal matrix (d, e) is converted to
// doubles, and its vectors S are converted back to T. Each number type has an implementation:
// `identity` for float64, and `single` for float32. If the device does not compute in double
// precision, `hosted` takes the place of `single`. No other code in this package depends on the type T
// or on the device's precision.
type doubles[T Float] interface {
	// always is the device memory for conversions that is in use during the whole solve. `rows` is
	// the device memory of the vectors S in the number type T. It is in use during checks, and from
	// the conversion of S to the end of the back transformation. Both are empty if T is float64.
	always() *vk.Layout
	rows() *vk.Layout

	// limit reserves the memory of `rows` for at most m vectors, instead of the number in newDoubles.
	// It must be called before the memory is laid out.
	limit(m int)

	// products returns the matrix products in double precision that the tridiagonal problem uses.
	// `ops` are the plan's products in the type T. The second result is the additional workspace of
	// the returned products.
	products(dev *vk.Device, ops product.Ops[T], t tuning.Tuning) (product.Ops[float64], *vk.Layout, error)

	// ownProducts returns double-precision products for the tridiagonal problem of a plan that has no
	// other products. They are nil if the host solves this problem.
	ownProducts(dev *vk.Device, t tuning.Tuning) (product.Ops[float64], error)

	// emulate replaces matrix products of p by products that emulate double precision on integer
	// units. `choose` returns a function that makes them, or nil if all products are native. `moduli`
	// is Options.Moduli. `emulate` returns an *OptionError if T is not float64. The method `emulates`
	// reports whether T is float64.
	emulate(p *products[T], moduli int, choose func() (emulation.Maker, error)) error
	emulates() bool

	// stage makes the stage that solves the tridiagonal problem. The arguments are those of
	// spectrum.New.
	stage(dev *vk.Device, n int, opt spectrum.Options, counts bool, ops product.Ops[float64], t tuning.Tuning) (*spectrum.Stage, error)

	// tridiagonal returns the device memory to which the reduction writes the tridiagonal matrix.
	// `receive` records that this matrix is converted to the memory in which t expects it, and copied
	// to the host. Its result returns the host's copy after the recording has been executed.
	tridiagonal(ws *vk.Arena, t *spectrum.Stage) stages.Tridiagonal[T]
	receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal

	// values records that the eigenvalues in `lambda` are sent to the device, for stages that
	// compute in the type T. It returns the device memory of these eigenvalues.
	values(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage, lambda []float64) vk.Slice[T]

	// vectors returns the device memory of the vectors S of the tridiagonal matrix, for stages that
	// compute in the type T. The argument x is S in double precision, or memory of the same size.
	// `narrow` records the conversion of S to the memory that `vectors` returns. Vectors that the host
	// has computed are not converted by `narrow`: `upload` copies them to that memory, before the
	// recording runs.
	vectors(ws *vk.Arena, x product.Matrix[float64]) product.Matrix[T]
	narrow(rec *vk.Recorder, ws *vk.Arena, x product.Matrix[float64])
	upload(c *plan.Call, t *spectrum.Stage) error

	// sums returns what measures the results of a tridiagonal plan for order n and at most m vectors.
	sums(dev *vk.Device, n, m int, ops product.Ops[float64]) (columnSums[T], error)
}

// newDoubles makes the conversions between the number type T and double precision, for matrices of
// order n and at most m vectors.
// The error is a *vk.UnsupportedError if T is float64 and the device has only single precision.
func newDoubles[T Float](dev *vk.Device, n, m int) (d doubles[T], err error) {
	var made any = identity{}
	_, single := any(*new(T)).(float32)
	switch {
	case !single:
		err = dev.Info().NeedFloat64(inSinglePrecision)
	case dev.Info().Float64():
		made, err = newSingle(dev, n, m)
	default:
		made = newHosted(n, m)
	}
	return made.(doubles[T]), err
}

// inSinglePrecision is advice for users of devices that do not compute in double precision.
const inSinglePrecision = "plans for float32 work there (vkevd solve --precision f32)"

// identity implements the interface `doubles` for float64, for which nothing must be converted.
// Each method returns its argument, so the device memory is shared.
type identity struct{}

func (identity) always() *vk.Layout { return vk.Together() }

func (identity) rows() *vk.Layout { return vk.Together() }

func (identity) limit(int) {}

func (identity) products(
	_ *vk.Device, ops product.Ops[float64], _ tuning.Tuning,
) (product.Ops[float64], *vk.Layout, error) {
	return ops, vk.Together(), nil
}

func (identity) ownProducts(dev *vk.Device, t tuning.Tuning) (product.Ops[float64], error) {
	return product.New[float64](dev, t.Products)
}

func (identity) emulates() bool { return true }

func (identity) emulate(p *products[float64], moduli int, choose func() (emulation.Maker, error)) error {
	both, err := emulation.Both(moduli, choose)
	if len(both) > 0 {
		p.reduction, p.vectors, p.emulated = both[0], both[1], both
	}
	return err
}

func (identity) tridiagonal(ws *vk.Arena, t *spectrum.Stage) stages.Tridiagonal[float64] {
	return stages.Tridiagonal[float64]{D: t.D(ws), E: t.E(ws)}
}

func (identity) stage(
	dev *vk.Device, n int, opt spectrum.Options, counts bool, ops product.Ops[float64], t tuning.Tuning,
) (*spectrum.Stage, error) {
	return spectrum.New(dev, n, opt, counts, ops, t)
}

func (identity) receive(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage) func() spectrum.Tridiagonal {
	host := t.Receive(rec, ws)
	return func() spectrum.Tridiagonal { return host }
}

func (identity) values(rec *vk.Recorder, ws *vk.Arena, t *spectrum.Stage, lambda []float64) vk.Slice[float64] {
	vk.SendFirst(rec, t.Lambda(ws), lambda)
	return t.Lambda(ws)
}

func (identity) vectors(_ *vk.Arena, x product.Matrix[float64]) product.Matrix[float64] { return x }

func (identity) narrow(*vk.Recorder, *vk.Arena, product.Matrix[float64]) {}

func (identity) upload(*plan.Call, *spectrum.Stage) error { return nil }

func (identity) sums(dev *vk.Device, n, m int, ops product.Ops[float64]) (columnSums[float64], error) {
	widened := func(_ *vk.Recorder, z, _ product.Matrix[float64]) product.Matrix[float64] { return z }
	return newSumsOnDevice(dev, n, m, ops, widened)
}
