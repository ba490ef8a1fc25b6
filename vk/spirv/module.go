package spirv

import (
	"fmt"
	"reflect"
	"regexp"
	"unsafe"
)

// MaxPushBytes is the size of push constants, in bytes, that every Vulkan device offers.
const MaxPushBytes = 128

// Module is one compiled kernel. S is the Go struct of its specialisation constants, and P is the
// Go struct of its push block. Both are generated from the shader. Go code that uses a kernel with
// the constants or parameters of another kernel therefore does not compile. [Describe] makes Spec
// and Push from S and P.
type Module[S, P any] struct {
	Name         string       // name of the kernel, unique in this repository
	Code         []byte       // SPIR-V, little-endian words
	Spec         []SpecField  // the fields of S, by id
	Push         []PushField  // the fields of P, by offset
	LocalSize    [3]Dimension // invocations of a workgroup in x, y and z
	Capabilities []Capability // all that the shader declares, by number
}

// SpecField is one specialisation constant and its place in S.
type SpecField struct {
	Name         string  // of the Go field
	ID           uint32  // constant_id in GLSL
	Kind         Kind    // type of the field
	Offset, Size uintptr // place in S, in bytes
}

// PushField is one member of the push block. Its offset in P is the same as in GLSL.
type PushField struct {
	Name               string  // of the Go field
	Offset, Size       uintptr // place in P, in bytes
	Kind               Kind    // type of the member
	Elem               Kind    // of an Address: type of the scalars, or the Go type of the structs, that it points to
	Readable, Writable bool    // of an Address: whether the shader declares that it reads and writes there
}

// IsAddr reports whether the member is a device address.
func (f PushField) IsAddr() bool { return f.Kind == Address }

// Dimension is one dimension of the workgroup's size: a number in the shader, or the value of a
// specialisation constant.
type Dimension struct {
	Specialised bool
	ID          uint32 // of the specialisation constant, if Specialised
	Fixed       uint32 // number of invocations, if not
}

// PushSize returns the number of bytes of P, which is the size of the push constants.
func (m Module[S, P]) PushSize() uintptr {
	var push P
	return unsafe.Sizeof(push)
}

// GroupSize returns the number of invocations of a workgroup in each dimension, for the given
// constants. It does not compare them with a device's limits, which vk.Build does.
func (m Module[S, P]) GroupSize(spec S) (size [3]uint32) {
	for i, d := range m.LocalSize {
		size[i] = d.Fixed
		for _, f := range m.Spec {
			if d.Specialised && f.ID == d.ID {
				size[i] = *(*uint32)(unsafe.Add(unsafe.Pointer(&spec), f.Offset))
			}
		}
	}
	return size
}

// SharedBytes returns the number of bytes of shared memory that a workgroup declares with the given
// constants. It adds up all shared variables in the order of their declarations, each aligned. It
// fails if the size of an array is undefined, for example because of a division by zero.
func (m Module[S, P]) SharedBytes(spec S) (int, error) {
	data := unsafe.Slice((*byte)(unsafe.Pointer(&spec)), unsafe.Sizeof(spec))
	bytes, err := SharedBytes(m.Code, m.Spec, data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", m.Name, err)
	}
	return bytes, nil
}

// spelling returns the name of a type without import paths, as the type Kind spells it. Package
// reflect writes the whole import path into type arguments:
// spirv.Addr[github.com/vkevd/vkevd/vk/spirv.Float16].
func spelling(t reflect.Type) string { return importPath.ReplaceAllString(t.String(), "") }

var importPath = regexp.MustCompile(`[^\[\]]*/`)
