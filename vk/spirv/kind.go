package spirv

// Kind is the type of a parameter or of a buffer's elements. Except for Address it is the name of
// the Go type with the same bits.
type Kind string

// The kinds of parameters. Names in GLSL are those of Go with the suffix _t, such as uint8_t, or
// uint, int, float and double.
const (
	Uint8   Kind = "uint8"
	Int8    Kind = "int8"
	Uint16  Kind = "uint16"
	Int16   Kind = "int16"
	Uint32  Kind = "uint32"
	Int32   Kind = "int32"
	Uint64  Kind = "uint64"
	Int64   Kind = "int64"
	Half    Kind = "spirv.Float16" // float16_t
	Float32 Kind = "float32"
	Float64 Kind = "float64"
	Boolean Kind = "spirv.Bool" // bool, of specialisation constants only
	Address Kind = "spirv.Addr" // buffer_reference, of push blocks only
)

// Real is the type of real numbers that kernels are compiled for: norms, d, e and λ.
type Real interface{ float32 | float64 }

// Scalar is the type of a matrix's entries: of A, of Q, of reflectors and their factors τ. The
// norms and eigenvalues of a matrix of Scalars are Reals.
type Scalar interface{ float32 | float64 }

// KindOf returns the Kind of T, Float32 or Float64.
func KindOf[T Scalar]() Kind {
	switch any(*new(T)).(type) {
	case float32:
		return Float32
	default:
		return Float64
	}
}

// Size returns the bytes of a value of this kind in a buffer, in a push block and in the data of
// specialisation constants. They are the same in all three.
func (k Kind) Size() uintptr {
	switch k {
	case Uint8, Int8:
		return 1
	case Uint16, Int16, Half:
		return 2
	case Uint32, Int32, Float32, Boolean:
		return 4
	default:
		return 8
	}
}

// Bool is a specialisation constant of GLSL type bool. Vulkan stores it in four bytes.
type Bool uint32

// These are the values of a Bool.
const (
	False Bool = 0
	True  Bool = 1
)

// Float16 holds the bits of a half-precision number in a buffer. It is for storage only: Go has no
// arithmetic on it.
type Float16 uint16
