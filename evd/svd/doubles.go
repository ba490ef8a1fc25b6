package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// doubles converts between the number type T of a plan and double precision, in which the
// bidiagonal problem C = S·Σ·Wᵀ is solved for every T. For complex numbers the reduction leaves the
// matrix D_U·C·D_Vᴴ with a real C. D_U and D_V are identity matrices except for their last
// elements, the phases. When S and W become numbers of type T, their last components are multiplied
// by these phases.
type doubles[T evd.Number] struct {
	precision.Doubles[T]

	// wide is the memory of the vectors S and W in double precision, in use until the end of the
	// back transformation. If T is float64, `wide` is also the memory of the vectors in the type T.
	wide [2]vk.Region[float64]

	// phases are those of the last component of each vector, for the left and the right side, if
	// the host computes in double precision: see precision.RealBidiagonal.
	phases *[2]T
}

var sideNames = [2]string{left: "left vectors, transposed", right: "right vectors, transposed"}

func newDoubles[T evd.Number](dev *vk.Device, of shape) (d doubles[T], err error) {
	kind := ", single"
	if precision.IsComplex[T]() {
		kind = ", complex"
	}
	m := precision.Memory[T]{
		Reals:  []vk.Region[T]{vk.Reserve[T]("C"+kind, 2*of.cols-1)}, // memory of the off-diagonal of the Golub-Kahan form
		Values: vk.Reserve[T]("values"+kind, of.k),
	}
	for at, name := range sideNames {
		rows, wide := 0, 0
		if of.wants[at] != None {
			rows, wide = of.k*of.length(side(at)), of.cols*of.cols // divide and conquer needs n²
		}
		m.Rows = append(m.Rows, vk.Reserve[T](name+kind, rows))
		if spirv.KindOf[T]() == spirv.Float64 {
			wide = max(wide, rows)
		}
		d.wide[at] = vk.Reserve[float64](name, wide)
	}
	d.phases = &[2]T{1, 1}
	d.Doubles, err = precision.New[T](dev, m, inSinglePrecision)
	return d, err
}

// inSinglePrecision is advice for users of devices that do not compute in double precision.
const inSinglePrecision = "plans for float32 work there (vkevd svd --precision f32)"

func needsDoubles[T evd.Number](dev *vk.Device) error {
	if !precision.IsDouble[T]() {
		return nil
	}
	return dev.Info().NeedFloat64(inSinglePrecision)
}

func (d doubles[T]) wideLayout() *vk.Layout {
	if d.OnHost() {
		return vk.Together()
	}
	return vk.Together(d.wide[left], d.wide[right])
}

// bidiagonal returns the device memory to which the bulge chasing writes C. `receive` then brings
// the Golub-Kahan form of C to the stage gk, which finds the values, and to the host. The returned
// function gives the host's copy after the recording has been executed.
func (d doubles[T]) bidiagonal(ws *vk.Arena, gk *spectrum.Stage) chase.Bidiagonal[T] {
	return chase.GolubKahan(d.off(ws, gk))
}

func (d doubles[T]) receive(rec *vk.Recorder, ws *vk.Arena, gk *spectrum.Stage) func() spectrum.Tridiagonal {
	if d.OnHost() {
		off := d.off(ws, gk)
		received := make([]T, off.Len())
		vk.ReceiveLast(rec, received, off)
		return func() spectrum.Tridiagonal {
			t := spectrum.Tridiagonal{D: make([]float64, off.Len()+1)}
			t.E, *d.phases = precision.RealBidiagonal(received)
			gk.Hold(t)
			return t
		}
	}
	e := gk.E(ws)
	d.WidenReals(rec, ws, e.Sub(0, e.Len()-1))
	return receiveFrom(rec, ws, gk)
}

// `off` returns the memory of the off-diagonal of the Golub-Kahan form of C in the type T.
func (d doubles[T]) off(ws *vk.Arena, gk *spectrum.Stage) vk.Slice[T] {
	e := gk.E(ws)
	return d.Real(ws, 0, e.Sub(0, max(e.Len()-1, 0))) // the last element is not used
}

// conquered returns the k×n matrix to which bidiagonalVectors writes the vectors of one side, as
// rows. If the host finds the vectors, the matrix has only a shape.
func (d doubles[T]) conquered(ws *vk.Arena, of side, k, n int) stages.Matrix {
	if d.OnHost() {
		return stages.Matrix{Rows: k, Cols: n, Ld: k}
	}
	return stages.NewMatrix(d.wide[of].In(ws), k, n, k)
}

// vectors returns the device memory of the vectors of one side in the type T, with room for all
// components of k vectors, of S or W as well as of U or V.
func (d doubles[T]) vectors(ws *vk.Arena, of side) vk.Slice[T] {
	if d.OnHost() {
		return d.Vectors(ws, int(of), vk.Slice[float64]{})
	}
	return d.Vectors(ws, int(of), d.wide[of].In(ws))
}
