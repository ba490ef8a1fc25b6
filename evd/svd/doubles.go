package svd

import (
	"cmp"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// doubles converts between the number type T of a plan and double precision. The bidiagonal problem
// C = S·Σ·Wᵀ is solved in double precision for every T: C is converted to doubles, and the vectors S
// and W are converted back to T. Each number type has an implementation: `identity` for float64, and
// `single` for float32. If the device does not compute in double precision, `hosted` takes the place
// of `single`. No other code in this package depends on the type T or on the device's precision.
type doubles[T evd.Float] interface {
	// always is the device memory that is in use during the whole solve. `wide` is the memory of the
	// vectors S and W in double precision, which is in use until the end of the back transformation.
	// `rows` is the additional memory of the vectors in the type T. It is in use from the conversion
	// of S and W to the end of the back transformation, and in checks. `always` and `rows` are empty
	// if T is float64.
	always() *vk.Layout
	wide() *vk.Layout
	rows() *vk.Layout

	// products returns the double-precision products for the bidiagonal problem. `ops` are the plan's
	// products. `extra` returns the workspace that the returned products need in addition to the
	// workspace of `ops`. It must be called after all stages are made.
	products(dev *vk.Device, ops product.Ops[T], t tuning.Tuning) (product.Ops[float64], error)
	extra() *vk.Layout

	// bidiagonalVectors makes the method for the vectors S and W of matrices C of order n, and `iteration` makes
	// a slow and simple method for the safe path, which takes the place of the method `of`.
	bidiagonalVectors(dev *vk.Device, n int, ops product.Ops[float64], t tuning.Tuning) (bidiagonalVectors, error)
	iteration(dev *vk.Device, n int, of bidiagonalVectors) bidiagonalVectors

	// emulate replaces the products of p that `c` names by products that emulate double precision on
	// integer units. `moduli` is Options.Moduli. `choose` returns a function that makes them, and
	// `room` has the bytes for their residues. `emulate` returns an *evd.OptionError if T is not
	// float64.
	emulate(p *products[T], c choice, room rooms, moduli int, choose func() (emulation.Maker, error)) error

	// toHalf returns a function that records the rounding of numbers of T to half precision. It
	// returns an *evd.OptionError if T is float64.
	toHalf(dev *vk.Device) (func(*vk.Recorder, vk.Slice[T], vk.Slice[spirv.Float16]), error)

	// bidiagonal returns the device memory to which the bulge chasing writes C. `receive` records
	// that the Golub-Kahan form of C is brought to gk, the stage that finds the values, and to the
	// host. Its result returns the host's copy after the recording has been executed.
	bidiagonal(ws *vk.Arena, gk *spectrum.Stage) chase.Bidiagonal[T]
	receive(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal

	// values records that the singular values in `sigma` are sent to the device, for stages that
	// compute in the type T. It returns the device memory of these values.
	values(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage, sigma []float64) vk.Slice[T]

	// conquered returns the k×n matrix to which bidiagonalVectors writes the vectors of one side, as rows.
	// `narrow` records the conversion of these vectors, x, to the memory that `vectors` returns, with
	// the same leading dimension.
	conquered(ws *vk.Arena, of side, k, n int) stages.Matrix
	narrow(rec *vk.Recorder, ws *vk.Arena, of side, x stages.Matrix)

	// vectors returns the device memory of the vectors of one side in the type T. It has room for
	// the columns and for the rows of all vectors of Thin.
	vectors(ws *vk.Arena, of side) vk.Slice[T]
}

// newDoubles returns the conversions for matrices of the given shape.
func newDoubles[T evd.Float](dev *vk.Device, of shape) (d doubles[T], err error) {
	var made any = newIdentity(of)
	_, single := any(*new(T)).(float32)
	switch {
	case !single:
		err = needsDoubles[T](dev)
	case dev.Info().Float64():
		made, err = newSingle(dev, of)
	default:
		made = newHosted(of)
	}
	return made.(doubles[T]), err
}

// inSinglePrecision is advice for users of devices that do not compute in double precision.
const inSinglePrecision = "plans for float32 work there (vkevd svd --precision f32)"

// needsDoubles returns a *vk.UnsupportedError if T is float64 and the device has only single precision.
func needsDoubles[T evd.Float](dev *vk.Device) error {
	if spectrum.UlpOf[T]() > spectrum.Ulp {
		return nil
	}
	return dev.Info().NeedFloat64(inSinglePrecision)
}

// onDevice makes the methods for vectors on devices that compute in double precision.
type onDevice struct{}

func (onDevice) bidiagonalVectors(dev *vk.Device, n int, ops product.Ops[float64], t tuning.Tuning) (bidiagonalVectors, error) {
	s, err := stedc.NewBidiagonalConquer(dev, n, ops, t.Double().Products, t.DivideConquer)
	return divideConquer{s}, err
}

func (onDevice) iteration(dev *vk.Device, n int, of bidiagonalVectors) bidiagonalVectors {
	return iteration{steqr.NewBidiagonalQR(dev, n), of}
}

// sideNames are the names of the memory of vectors, by side.
var sideNames = [2]string{left: "left vectors, transposed", right: "right vectors, transposed"}

// identity implements doubles for float64. The vectors in double precision and those in the type T
// have the same memory, and no conversion is recorded.
type identity struct {
	onDevice
	x [2]vk.Region[float64]
}

func newIdentity(of shape) *identity {
	d := &identity{}
	for at := range d.x {
		elements := 0
		if of.wants[at] != None {
			elements = max(of.k*of.length(side(at)), of.cols*of.cols) // divide and conquer needs n²
		}
		d.x[at] = vk.Reserve[float64](sideNames[at], elements)
	}
	return d
}

func (*identity) always() *vk.Layout { return vk.Together() }

func (d *identity) wide() *vk.Layout { return vk.Together(d.x[left], d.x[right]) }

func (*identity) rows() *vk.Layout { return vk.Together() }

func (*identity) products(_ *vk.Device, ops product.Ops[float64], _ tuning.Tuning) (product.Ops[float64], error) {
	return ops, nil
}

func (*identity) extra() *vk.Layout { return vk.Together() }

func (*identity) emulate(p *products[float64], c choice, room rooms, moduli int, choose func() (emulation.Maker, error)) error {
	maker, err := choose()
	if err != nil {
		return err
	}
	count := cmp.Or(moduli, emulation.VectorModuli)
	for _, x := range []struct {
		ops         *product.Ops[float64]
		wanted      bool
		count, room int
	}{
		{&p.update, c.reduction, emulation.ReductionModuli(count), room.reduction},
		{&p.vectors, c.vectors, count, room.vectors},
		{&p.back, c.vectors, count, room.back},
	} {
		if !x.wanted {
			continue
		}
		ops, err := maker(x.count, x.room)
		if err != nil {
			return err
		}
		*x.ops, p.emulated = ops, append(p.emulated, ops)
	}
	return nil
}

// toHalf returns an *evd.OptionError: a plan for float64 reduces matrices by a plan for float32 if
// Options.Storage is Half.
func (*identity) toHalf(*vk.Device) (func(*vk.Recorder, vk.Slice[float64], vk.Slice[spirv.Float16]), error) {
	return nil, plan.BadOption("Storage", "a band of doubles is not stored in half precision")
}

func (*identity) bidiagonal(ws *vk.Arena, gk *spectrum.Stage) chase.Bidiagonal[float64] {
	e := gk.E(ws) // its last element is not used
	return chase.GolubKahan(e.Sub(0, e.Len()-1))
}

func (*identity) receive(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	return receiveFrom(rec, ws, gk)
}

func (*identity) values(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage, sigma []float64) vk.Slice[float64] {
	vk.SendFirst(rec, gk.Lambda(ws), sigma)
	return gk.Lambda(ws)
}

func (d *identity) conquered(ws *vk.Arena, of side, k, n int) stages.Matrix {
	return stages.NewMatrix(d.x[of].In(ws), k, n, k)
}

func (*identity) narrow(*vk.Recorder, *vk.Arena, side, stages.Matrix) {}

func (d *identity) vectors(ws *vk.Arena, of side) vk.Slice[float64] { return d.x[of].In(ws) }
