package precision

import (
	"math/cmplx"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// `own` is the memory of numbers of type T, for a T that is not float64.
type own[T spirv.Scalar] struct{ Memory[T] }

func (s *own[T]) Always() *vk.Layout {
	return vk.Together(append(spaces(s.Reals), s.Memory.Values)...)
}

func (s *own[T]) Rows() *vk.Layout { return vk.Together(spaces(s.Memory.Rows)...) }

func (s *own[T]) Resize(side int, rows vk.Region[T]) { s.Memory.Rows[side] = rows }

func (*own[T]) Copied() []vk.Region[complex128] { return nil }

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

// ownOnDevice is the part of Doubles that is the same for all T on a device with double precision.
type ownOnDevice[T spirv.Scalar] struct{ own[T] }

func (*ownOnDevice[T]) OnHost() bool { return false }

// Products makes new products, because those of the plan are for numbers of type T.
func (*ownOnDevice[T]) Products(dev *vk.Device, _ product.Ops[T], t product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	ops, err := product.New[float64](dev, t)
	if err != nil {
		return nil, nil, err
	}
	return ops, ops.Work(), nil
}

// onDevice implements Doubles for float32.
type onDevice struct {
	ownOnDevice[float32]
	convert *move.Conversion
}

func newOnDevice(dev *vk.Device, m Memory[float32]) (*onDevice, error) {
	convert, err := move.NewConversion(dev)
	return &onDevice{ownOnDevice[float32]{own[float32]{m}}, convert}, err
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

// complexes implements Doubles for complex numbers. The tridiagonal matrix is D·S·Dᴴ with a real S
// and D = diag(1 … 1, phase). A bidiagonal matrix, with vectors of two sides, has a phase for each
// side.
type complexes[T complex64 | complex128] struct {
	ownOnDevice[T]
	phase   vk.Region[complex128]
	convert *move.ComplexConversion[T]
}

func newComplexes[T complex64 | complex128](dev *vk.Device, m Memory[T]) (*complexes[T], error) {
	convert := move.NewComplexConversion[T]
	if m.bidiagonal() {
		convert = move.NewComplexBidiagonal[T]
	}
	made, err := convert(dev)
	return &complexes[T]{ownOnDevice[T]{own[T]{m}}, vk.Reserve[complex128]("phase of e", max(1, len(m.Rows))), made}, err
}

// bidiagonal reports whether the numbers belong to a bidiagonal matrix, whose elements are a single
// diagonal.
func (m Memory[T]) bidiagonal() bool { return len(m.Reals) == 1 }

func (d *complexes[T]) Always() *vk.Layout { return vk.Together(d.own.Always(), d.phase) }

func (d *complexes[T]) Copied() []vk.Region[complex128] { return []vk.Region[complex128]{d.phase} }

func (d *complexes[T]) WidenReals(rec *vk.Recorder, ws *vk.Arena, wide ...vk.Slice[float64]) {
	if d.bidiagonal() {
		d.convert.RecordBidiagonal(rec, d.Reals[0].In(ws), wide[0], d.phase.In(ws))
		return
	}
	d.convert.RecordReal(rec, stages.Tridiagonal[T]{D: d.Reals[0].In(ws), E: d.Reals[1].In(ws)},
		stages.Tridiagonal[float64]{D: wide[0], E: wide[1]}, d.phase.In(ws))
}

func (d *complexes[T]) Narrow(rec *vk.Recorder, ws *vk.Arena, side int, x stages.Matrix) {
	rec.Phase(stages.PhasePromote, 0, 1)
	to := product.Matrix[T]{Rows: x.Rows, Cols: x.Cols, Ld: x.Ld, At: d.Memory.Rows[side].In(ws)}
	d.convert.RecordPromote(rec, x, d.phase.In(ws).Sub(side, 1), to)
}

func (*complexes[T]) Widen(_ *vk.Recorder, _ product.Matrix[T], x stages.Matrix) stages.Matrix {
	return x
}

// RealTridiagonal factors a Hermitian tridiagonal matrix in single precision as D·S·Dᴴ, with D =
// diag(1 … 1, phase), and returns the real tridiagonal matrix S and the phase. d is the diagonal of
// the matrix and e its subdiagonal. All elements of e but the last one must be real. For real
// numbers the phase is 1.
func RealTridiagonal[T spirv.Scalar](d, e []T) (s spectrum.Tridiagonal, phase T) {
	s = spectrum.Tridiagonal{D: spectrum.Scale(d, 1), E: spectrum.Scale(e, 1)}
	phase = 1
	if e, ok := any(e).([]complex64); ok && len(e) > 0 {
		last := complex128(e[len(e)-1])
		modulus := cmplx.Abs(last)
		s.E[len(e)-1] = modulus
		if modulus > 0 {
			*any(&phase).(*complex64) = complex64(last / complex(modulus, 0))
		}
	}
	return s, phase
}

// RealBidiagonal factors an upper bidiagonal matrix in single precision as D_U·S·D_Vᴴ, with D_U =
// diag(1 … 1, phases[0]) and D_V = diag(1 … 1, phases[1]), as move.ComplexConversion does. `off`
// and the result have the elements of the matrix and of the real matrix S, as off-diagonals of
// Golub-Kahan forms. All elements but the last two must be real. For real numbers the phases are 1.
func RealBidiagonal[T spirv.Scalar](off []T) (reals []float64, phases [2]T) {
	reals, phases = spectrum.Scale(off, 1), [2]T{1, 1}
	z, ok := any(off).([]complex64)
	if !ok {
		return reals, phases
	}
	last, right := len(z)-1, complex128(1)
	if last > 0 {
		reals[last-1], right = polar(complex128(z[last-1]))
		right = cmplx.Conj(right)
	}
	modulus, left := polar(complex128(z[last]) * right)
	reals[last] = modulus
	of := any(&phases).(*[2]complex64)
	of[0], of[1] = complex64(left), complex64(right)
	return reals, phases
}

// polar returns |z| and z/|z|, or 0 and 1 for z = 0.
func polar(z complex128) (modulus float64, phase complex128) {
	if modulus = cmplx.Abs(z); modulus == 0 {
		return 0, 1
	}
	return modulus, z / complex(modulus, 0)
}

// onHost implements Doubles for single precision on a device without double precision.
type onHost[T spirv.Scalar] struct{ own[T] }

func (*onHost[T]) OnHost() bool { return true }

func (*onHost[T]) Products(*vk.Device, product.Ops[T], product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	return nil, vk.Together(), nil
}

func (*onHost[T]) WidenReals(*vk.Recorder, *vk.Arena, ...vk.Slice[float64]) {}

func (*onHost[T]) Narrow(*vk.Recorder, *vk.Arena, int, stages.Matrix) {}

func (*onHost[T]) Widen(_ *vk.Recorder, _ product.Matrix[T], x stages.Matrix) stages.Matrix {
	return x
}
