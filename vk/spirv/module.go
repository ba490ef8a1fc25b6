package spirv

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"unsafe"
)

// MaxPushBytes is what every Vulkan device offers for push constants.
const MaxPushBytes = 128

// Module is one compiled kernel. S is the Go struct of its specialisation
// constants and P that of its push block, both generated from the shader: what
// is compiled with an S and dispatched with a P cannot mix two kernels up.
type Module[S, P any] struct {
	Name         string
	Code         []byte       // SPIR-V, little-endian words
	Spec         []SpecField  // the fields of S, by id
	Push         []PushField  // the fields of P, by offset
	LocalSize    [3]Dimension // the workgroup's size
	Capabilities []Capability
}

// SpecField is one specialisation constant and its place in S.
type SpecField struct {
	Name         string // the Go field's
	ID           uint32
	Kind         Kind
	Offset, Size uintptr
}

// PushField is one member of the push block and its place, the same in GLSL
// and in P. Of an Address, Elem is the kind of the scalars or the Go type of the structs it points to, and
// Readable and Writable tell what the shader declares it may do with them.
type PushField struct {
	Name               string // the Go field's
	Offset, Size       uintptr
	Kind               Kind
	Elem               Kind
	Readable, Writable bool
}

// IsAddr tells whether the member is a device address.
func (f PushField) IsAddr() bool { return f.Kind == Address }

// Dimension is one dimension of the workgroup's size: fixed in the shader, or
// the value of a specialisation constant.
type Dimension struct {
	Specialised bool
	ID          uint32 // of the constant, where Specialised
	Fixed       uint32 // the size, where not
}

// PushSize returns the bytes to push.
func (m Module[S, P]) PushSize() uintptr {
	var push P
	return unsafe.Sizeof(push)
}

// GroupSize returns the workgroup's size under the given constants.
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

// SharedBytes returns the bytes of shared memory that a workgroup declares under the given constants:
// all variables in the order of their declarations, each aligned. It fails where an array's size is
// undefined under them (a division by zero).
func (m Module[S, P]) SharedBytes(spec S) (int, error) {
	data := unsafe.Slice((*byte)(unsafe.Pointer(&spec)), unsafe.Sizeof(spec))
	bytes, err := SharedBytes(m.Code, m.Spec, data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", m.Name, err)
	}
	return bytes, nil
}

// Check compares the Go structs with what was read from the shader: names,
// offsets, sizes and types, and that the push block fits any device. Generated
// modules pass; it guards against hand-made ones.
func (m Module[S, P]) Check() error {
	spec := make([]field, len(m.Spec))
	for i, f := range m.Spec {
		spec[i] = field{f.Name, f.Offset, f.Size, string(f.Kind)}
	}
	push := make([]field, len(m.Push))
	for i, f := range m.Push {
		push[i] = field{f.Name, f.Offset, f.Size, string(f.Kind)}
		if f.IsAddr() {
			push[i].typ = fmt.Sprintf("%s[%s]", Address, f.Elem)
		}
	}
	if err := compare(reflect.TypeFor[S](), spec); err != nil {
		return fmt.Errorf("spirv: %s: specialisation constants: %w", m.Name, err)
	}
	if err := compare(reflect.TypeFor[P](), push); err != nil {
		return fmt.Errorf("spirv: %s: push block: %w", m.Name, err)
	}
	if size := m.PushSize(); size > MaxPushBytes || size%4 != 0 {
		return fmt.Errorf("spirv: %s: push block of %d bytes; at most %d in whole words", m.Name, size, MaxPushBytes)
	}
	return nil
}

type field struct {
	name         string
	offset, size uintptr
	typ          string // as Kind spells it
}

// compare holds a Go struct, but for its padding, against the wanted fields.
func compare(t reflect.Type, want []field) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("%v is no struct", t)
	}
	var have []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Name == "_" {
			continue
		}
		have = append(have, field{f.Name, f.Offset, f.Type.Size(), spelling(f.Type)})
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("%v is %v, the shader has %v", t, have, want)
	}
	return nil
}

// spelling returns a type's name as Kind spells it. (reflect puts the whole
// import path into the argument of Addr[spirv.Float16].)
func spelling(t reflect.Type) string { return importPath.ReplaceAllString(t.String(), "") }

var importPath = regexp.MustCompile(`[^\[\]]*/`)
