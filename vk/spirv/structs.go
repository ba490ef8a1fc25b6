package spirv

import (
	"errors"
	"fmt"
)

// Struct is the element type of a buffer that is one array of structs, such as buffer Merges {
// Merge at[]; }. The generator shaders/gen writes a Go struct with the same layout, for transfers.
type Struct struct {
	Name   string        // as in GLSL
	Size   uintptr       // bytes from one element to the next
	Fields []StructField // by offset
}

type StructField struct {
	Name   string  // as in GLSL
	Offset uintptr // in bytes
	Kind   Kind    // type of the number, or of the elements
	Count  int     // number of elements of an array or a vector; 0 for a single number
}

// structElement returns the id of the struct type S if a buffer's block is one array of S.
func (p *parsed) structElement(block instruction) (typ uint32, found bool) {
	if len(block.args) != 2 {
		return 0, false
	}
	array := p.defs[block.arg(1)]
	element := p.defs[array.arg(1)]
	return element.arg(0), array.op == opTypeRuntimeArray && element.op == opTypeStruct
}

// structure reads the layout of a struct type that is the element type of an array. The elements of
// the array begin `stride` bytes apart. Each member of the struct must be a number, or a vector or
// dense array of numbers: for other members no Go type has the same layout.
func (p *parsed) structure(typ, stride uint32) (Struct, error) {
	s := Struct{Name: p.names[typ], Size: uintptr(stride)}
	if s.Name == "" {
		return s, errors.New("its struct has no name")
	}
	for i, t := range p.defs[typ].args[1:] {
		of := member{typ, uint32(i)}
		offset, found := p.decorations[decoration{of, decorationOffset}]
		f := StructField{Name: p.members[of], Offset: uintptr(offset), Kind: p.scalar(t)}
		switch in := p.defs[t]; in.op {
		case opTypeVector:
			f.Kind, f.Count = p.scalar(in.arg(1)), int(in.arg(2))
		case opTypeArray:
			f.Kind, f.Count = p.scalar(in.arg(1)), int(p.defs[in.arg(2)].arg(2))
			if step, _ := p.decoration(t, decorationArrayStride); uintptr(step) != f.Kind.Size() {
				return s, fmt.Errorf("member %s of its struct %s has elements %d bytes apart", f.Name, s.Name, step)
			}
		}
		if f.Kind == "" || !found {
			return s, fmt.Errorf("member %s of its struct %s is no number, vector or array of numbers", f.Name, s.Name)
		}
		s.Fields = append(s.Fields, f)
	}
	return s, nil
}
