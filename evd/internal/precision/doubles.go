// Package precision has the constants of the number type T of a plan, and the conversions between T
// and double precision. The tridiagonal or bidiagonal problem within a solve is real, and is solved
// in double precision, for every T: its diagonals become doubles, and its vectors become numbers of
// T. float64 needs no conversion. Other types are converted by the device, or by the host if the
// device has no double precision. Elsewhere in evd, few places depend on the type T or on the
// precision of the device: they choose stages, products and options, or scale the matrix.
package precision

import (
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Memory is the device memory that a plan needs for numbers of type T in addition to the same
// numbers in double precision. Reals are diagonals. Values are the values of a check. Rows has the
// vectors of each side, one vector in each row. A plan for float64 does not use this memory.
type Memory[T spirv.Scalar] struct {
	Reals  []vk.Region[T]
	Values vk.Region[T]
	Rows   []vk.Region[T]
}

// Doubles converts between the number type T and double precision. `wide` is the memory of the same
// numbers in double precision. If T is float64, the results share this memory. A side is one set of
// vectors: left singular vectors are side 0, and right ones side 1. Eigenvectors are side 0.
type Doubles[T spirv.Scalar] interface {
	// The method Always returns the layout of the device memory that is in use during the whole
	// solve. The method Rows returns that of the memory of the vectors, which is in use from their
	// conversion to the end of the back transformation, and in checks.
	Always() *vk.Layout
	Rows() *vk.Layout

	// Resize replaces the memory of the vectors of one side. It must be called before the memory is
	// laid out.
	Resize(side int, rows vk.Region[T])

	// Copied is the memory whose contents WidenReals computes and Narrow needs, in addition to the
	// diagonals: the phase of a complex tridiagonal matrix. Another device that narrows vectors of
	// the same matrix needs a copy of it. For real types it is empty.
	Copied() []vk.Region[complex128]

	// OnHost reports whether the host computes in double precision in place of the device.
	OnHost() bool

	// Products returns the matrix products in double precision, and the workspace that they need in
	// addition to that of `ops`, the plan's products. If OnHost is true, the products are nil and the
	// workspace is empty.
	Products(dev *vk.Device, ops product.Ops[T], t product.Tuning) (product.Ops[float64], *vk.Layout, error)

	// Real returns the device memory of diagonal i. WidenReals records the conversion of the
	// diagonals to the memory `wide`. Complex diagonals must be those of a Hermitian tridiagonal
	// matrix, d and e, or one diagonal: the off-diagonal of the Golub-Kahan form of a bidiagonal
	// matrix. If OnHost is true, WidenReals records nothing.
	Real(ws *vk.Arena, i int, wide vk.Slice[float64]) vk.Slice[T]
	WidenReals(rec *vk.Recorder, ws *vk.Arena, wide ...vk.Slice[float64])

	// Values records that values are sent to the device, and returns their memory.
	Values(rec *vk.Recorder, ws *vk.Arena, wide vk.Slice[float64], values []float64) vk.Slice[T]

	// Vectors returns the device memory of the vectors of one side. Narrow records a conversion of
	// the vectors x into this memory. The leading dimension stays the same. If OnHost is true,
	// Narrow records nothing.
	Vectors(ws *vk.Arena, side int, wide vk.Slice[float64]) vk.Slice[T]
	Narrow(rec *vk.Recorder, ws *vk.Arena, side int, x stages.Matrix)

	// Widen records the conversion of z to x, which has the shape and the leading dimension of z,
	// and returns x. For float64 it records nothing, and returns z. It is not called for complex
	// numbers, nor if OnHost is true.
	Widen(rec *vk.Recorder, z product.Matrix[T], x stages.Matrix) stages.Matrix
}

// New makes the conversions for the device. The error is a *vk.UnsupportedError with an advice for
// the user if T is float64 or complex128 and the device computes only in single precision.
func New[T spirv.Scalar](dev *vk.Device, m Memory[T], advice string) (d Doubles[T], err error) {
	if IsDouble[T]() {
		if err := dev.Info().NeedFloat64(advice); err != nil {
			return nil, err
		}
	}
	if !dev.Info().Float64() {
		return &onHost[T]{own[T]{m}}, nil
	}
	var made any
	switch m := any(m).(type) {
	case Memory[float64]:
		made = exact{}
	case Memory[float32]:
		made, err = newOnDevice(dev, m)
	case Memory[complex64]:
		made, err = newComplexes(dev, m)
	case Memory[complex128]:
		made, err = newComplexes(dev, m)
	}
	return made.(Doubles[T]), err
}

// Elements returns how many elements of memory the matrix x spans, from its first to its last
// element, including the gaps between columns. x must not be empty.
func Elements[T spirv.Scalar](x product.Matrix[T]) int { return (x.Cols-1)*x.Ld + x.Rows }

// exact implements Doubles for float64, for which nothing is converted.
type exact struct{}

func (exact) Always() *vk.Layout                                       { return vk.Together() }
func (exact) Rows() *vk.Layout                                         { return vk.Together() }
func (exact) Resize(int, vk.Region[float64])                           {}
func (exact) Copied() []vk.Region[complex128]                          { return nil }
func (exact) OnHost() bool                                             { return false }
func (exact) WidenReals(*vk.Recorder, *vk.Arena, ...vk.Slice[float64]) {}
func (exact) Narrow(*vk.Recorder, *vk.Arena, int, stages.Matrix)       {}

func (exact) Products(_ *vk.Device, ops product.Ops[float64], _ product.Tuning) (product.Ops[float64], *vk.Layout, error) {
	return ops, vk.Together(), nil
}

func (exact) Real(_ *vk.Arena, _ int, wide vk.Slice[float64]) vk.Slice[float64] { return wide }

func (exact) Values(rec *vk.Recorder, _ *vk.Arena, wide vk.Slice[float64], values []float64) vk.Slice[float64] {
	vk.SendFirst(rec, wide, values)
	return wide
}

func (exact) Vectors(_ *vk.Arena, _ int, wide vk.Slice[float64]) vk.Slice[float64] { return wide }

func (exact) Widen(_ *vk.Recorder, z product.Matrix[float64], _ stages.Matrix) stages.Matrix {
	return z
}

// IsDouble reports whether T is float64 or complex128.
func IsDouble[T spirv.Scalar]() bool {
	return spirv.KindOf[T]() == spirv.Float64 || spirv.KindOf[T]() == spirv.Complex128
}

// IsComplex reports whether T is complex64 or complex128.
func IsComplex[T spirv.Scalar]() bool { return spirv.KindOf[T]().IsComplex() }

// UlpOf is the distance from 1 to the next real number of the precision of T.
func UlpOf[T spirv.Scalar]() float64 {
	if IsDouble[T]() {
		return spectrum.Ulp
	}
	return 0x1p-23
}

// SafeMinOf is the smallest normal number of type T.
func SafeMinOf[T spirv.Scalar]() float64 {
	if IsDouble[T]() {
		return spectrum.SafeMin
	}
	return 0x1p-126
}
