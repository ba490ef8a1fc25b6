package spirv

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unsafe"
)

// MaxPushBytes is the size of push constants, in bytes, that every Vulkan device offers.
const MaxPushBytes = 128

// Module is one compiled kernel. S is the Go struct of its specialization constants, and P is the
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

// SpecField is one specialization constant and its place in S.
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

func (f PushField) IsAddr() bool { return f.Kind == Address }

// Dimension is one dimension of the workgroup's size: a number in the shader, or the value of a
// specialization constant.
type Dimension struct {
	Specialised bool
	ID          uint32 // of the specialization constant, if Specialised
	Fixed       uint32 // number of invocations, if not
}

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

// Describe returns the descriptions of the fields of S, the struct of a kernel's specialization
// constants, and of P, the struct of its push block. The types of the fields tell their kinds, and
// tags tell what Go types cannot:
//
//	LocalSize uint32        `spirv:"0"`  // constant_id in GLSL
//	A         Addr[float64] `spirv:"rw"` // access: r, w, rw, or - for an address that is not used
//
// Fields named _ are padding. Describe panics if a tag is missing or wrong, because generated code
// has all tags.
func Describe[S, P any]() (spec []SpecField, push []PushField) {
	for f, tag := range fields[S]() {
		id, err := strconv.ParseUint(tag, 10, 32)
		if err != nil {
			panic(fmt.Sprintf("spirv: constant %s of %v: %v", f.Name, reflect.TypeFor[S](), err))
		}
		spec = append(spec, SpecField{f.Name, uint32(id), Kind(spelling(f.Type)), f.Offset, f.Type.Size()})
	}
	for f, tag := range fields[P]() {
		p := PushField{Name: f.Name, Offset: f.Offset, Size: f.Type.Size(), Kind: Kind(spelling(f.Type))}
		if elem, ok := strings.CutPrefix(string(p.Kind), string(Address)+"["); ok {
			p.Kind, p.Elem = Address, Kind(strings.TrimSuffix(elem, "]"))
			p.Readable, p.Writable = strings.Contains(tag, "r"), strings.Contains(tag, "w")
			if p.Access() != tag {
				panic(fmt.Sprintf("spirv: address %s of %v has the access %q", f.Name, reflect.TypeFor[P](), tag))
			}
		}
		push = append(push, p)
	}
	return spec, push
}

func fields[T any]() func(yield func(reflect.StructField, string) bool) {
	return func(yield func(reflect.StructField, string) bool) {
		t := reflect.TypeFor[T]()
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" && !yield(f, f.Tag.Get("spirv")) {
				return
			}
		}
	}
}

// Access returns how the kernel uses the memory that an Address points to, in the form of the tags
// of [Describe].
func (f PushField) Access() string {
	switch {
	case f.Readable && f.Writable:
		return "rw"
	case f.Writable:
		return "w"
	case f.Readable:
		return "r"
	}
	return "-"
}
