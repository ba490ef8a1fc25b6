package spirv

import "math"

// Kind is the type of a parameter, of a specialization constant or of a buffer's elements. The
// value of a Kind is the name of the Go type with the same bits, except for Address.
type Kind string

// These are the kinds of numbers in kernels. The GLSL names of integer kinds of 8, 16 and 64 bits
// are the Go names with the suffix _t, such as uint8_t. The GLSL names of Uint32, Int32, Float32
// and Float64 are uint, int, float and double. The comments give the other GLSL names.
const (
	Uint8      Kind = "uint8"
	Int8       Kind = "int8"
	Uint16     Kind = "uint16"
	Int16      Kind = "int16"
	Uint32     Kind = "uint32"
	Int32      Kind = "int32"
	Uint64     Kind = "uint64"
	Int64      Kind = "int64"
	Half       Kind = "spirv.Float16" // float16_t
	Float32    Kind = "float32"
	Float64    Kind = "float64"
	Complex64  Kind = "complex64"      // vec2, of buffers only
	Complex128 Kind = "complex128"     // dvec2, of buffers only
	Boolean    Kind = "spirv.Bool"     // bool, of specialization constants only
	Address    Kind = "spirv.Addr"     // buffer_reference, of push blocks only
	BitsOfReal Kind = "spirv.RealBits" // double, or uint64_t in kernels of single precision, of push blocks only
)

// Real is the type of real numbers in kernels, such as norms, eigenvalues λ, and the diagonal d and
// off-diagonal e of a tridiagonal matrix.
type Real interface{ float32 | float64 }

// Scalar is the type of a matrix's entries, such as those of A, of Q, of Householder reflectors and
// of their factors τ. Most kernels for complex numbers store norms and eigenvalues as Scalars, too.
type Scalar interface {
	float32 | float64 | complex64 | complex128
}

// Stored is the type of a matrix's entries in the memory of those kernels that may store them in
// half precision. Such a kernel computes with Float16 entries in single precision.
type Stored interface{ Scalar | Float16 }

// StoredReal is a Stored that is no complex number.
type StoredReal interface{ Real | Float16 }

// KindOf returns the Kind of the type T.
func KindOf[T Stored]() Kind {
	switch any(*new(T)).(type) {
	case Float16:
		return Half
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	}
	panic("spirv: no Kind for this type")
}

func (k Kind) IsComplex() bool { return k == Complex64 || k == Complex128 }

// Part returns the kind of the real and of the imaginary part of a complex number. For a real
// number it returns k.
func (k Kind) Part() Kind {
	switch k {
	case Complex64:
		return Float32
	case Complex128:
		return Float64
	}
	return k
}

// Size returns the number of bytes of a value of this kind. The number is the same in a buffer, in
// a push block and in the data of specialization constants.
func (k Kind) Size() uintptr {
	switch k {
	case Uint8, Int8:
		return 1
	case Uint16, Int16, Half:
		return 2
	case Uint32, Int32, Float32, Boolean:
		return 4
	case Complex128:
		return 16
	default:
		return 8
	}
}

// RealBits is a real number in a push block that has one Go struct for all number types. A kernel
// of double precision reads a double there. A kernel of single precision reads a uint64_t, whose
// lower half is the number.
type RealBits struct{ bits uint64 }

// RealBitsOf returns x, as kernels for T read it.
func RealBitsOf[T Scalar](x float64) RealBits {
	switch KindOf[T]() {
	case Float32, Complex64:
		return RealBits{uint64(math.Float32bits(float32(x)))}
	}
	return RealBits{math.Float64bits(x)}
}

// Bool is a GLSL bool as a specialization constant, in four bytes.
type Bool uint32

const (
	False Bool = 0
	True  Bool = 1
)

func BoolOf(v bool) Bool {
	if v {
		return True
	}
	return False
}
