package spirv

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Describe returns the descriptions of the fields of S, the struct of a kernel's specialisation
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

// fields iterates over the fields of the struct T that are no padding, with their tags.
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
