package spirv

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// parsed holds the declarations of a module: everything before its first function. After the
// function `collect` has returned, no member of `parsed` changes, except `structs`, which the
// method `pointee` fills.
type parsed struct {
	entry        string            // name of the compute entry point, "" if there is none
	entries      int               // number of entry points
	modeOp       uint32            // instruction that gives the local size: opExecutionMode or opExecutionModeId
	mode         [3]uint32         // operands of this instruction: sizes, or ids of constants
	capabilities []Capability      // as declared
	names        map[uint32]string // from debug information, by id
	members      map[member]string
	decorations  map[decoration]uint32
	defs         map[uint32]instruction // types, constants and variables, by id
	order        []uint32               // the ids of defs in the order of their declarations
	structs      map[string]Struct      // elements of the buffers that the push block points to, by name
}

type member struct{ of, index uint32 }

type decoration struct {
	member
	what uint32
}

// `whole` takes the place of a member's index in the key of a decoration that belongs to no member,
// but to an id as a whole.
const whole = ^uint32(0)

// collect reads the declarations of a module. It checks nothing: if a declaration is missing or
// broken, the method that needs it returns an error.
func collect(body []instruction) *parsed {
	p := &parsed{
		names: map[uint32]string{}, members: map[member]string{},
		decorations: map[decoration]uint32{}, defs: map[uint32]instruction{}, structs: map[string]Struct{},
	}
	for _, in := range body {
		if len(in.args) == 0 {
			continue // all instructions below have arguments
		}
		switch in.op {
		case opCapability:
			p.capabilities = append(p.capabilities, Capability(in.arg(0)))
		case opEntryPoint:
			p.entries++
			if in.arg(0) == executionModelGLCompute {
				p.entry = in.text(2)
			}
		case opExecutionMode, opExecutionModeId:
			if m := in.arg(1); m == executionModeLocalSize || m == executionModeLocalSizeId {
				p.modeOp, p.mode = in.op, [3]uint32{in.arg(2), in.arg(3), in.arg(4)}
			}
		case opName:
			p.names[in.arg(0)] = in.text(1)
		case opMemberName:
			p.members[member{in.arg(0), in.arg(1)}] = in.text(2)
		case opDecorate:
			p.decorations[decoration{member{in.arg(0), whole}, in.arg(1)}] = in.arg(2)
		case opMemberDecorate:
			p.decorations[decoration{member{in.arg(0), in.arg(1)}, in.arg(2)}] = in.arg(3)
		case opTypeBool, opTypeInt, opTypeFloat, opTypeVector, opTypeMatrix,
			opTypeArray, opTypeRuntimeArray, opTypeStruct, opTypePointer:
			p.define(in.arg(0), in)
		case opConstant, opConstantTrue, opConstantFalse, opConstantComposite, opSpecConstantTrue, opSpecConstantFalse,
			opSpecConstant, opSpecConstantComposite, opSpecConstantOp, opVariable:
			p.define(in.arg(1), in)
		case opFunction:
			return p // the declarations end
		}
	}
	return p
}

func (p *parsed) define(id uint32, in instruction) {
	p.defs[id] = in
	p.order = append(p.order, id)
}

func (p *parsed) decoration(id, what uint32) (operand uint32, found bool) {
	operand, found = p.decorations[decoration{member{id, whole}, what}]
	return operand, found
}

// workgroupSize returns the module's constant with the built-in WorkgroupSize. `found` is false if
// there is none. The words 2, 3 and 4 of the constant are the ids of the sizes in x, y and z.
func (p *parsed) workgroupSize() (in instruction, found bool) {
	for _, id := range p.order {
		if b, ok := p.decoration(id, decorationBuiltIn); ok && b == builtInWorkgroupSize {
			return p.defs[id], true
		}
	}
	return in, false
}

func (p *parsed) scalar(typ uint32) Kind {
	in := p.defs[typ]
	switch in.op {
	case opTypeInt:
		return map[[2]uint32]Kind{
			{8, 0}: Uint8, {8, 1}: Int8, {16, 0}: Uint16, {16, 1}: Int16,
			{32, 0}: Uint32, {32, 1}: Int32, {64, 0}: Uint64, {64, 1}: Int64,
		}[[2]uint32{in.arg(1), in.arg(2)}]
	case opTypeFloat:
		return map[uint32]Kind{16: Half, 32: Float32, 64: Float64}[in.arg(1)]
	}
	return ""
}

// complexKind returns the kind of complex numbers that a vector type holds, or "" if it is no
// vector of two floats or doubles.
func (p *parsed) complexKind(typ uint32) Kind {
	in := p.defs[typ]
	if in.op != opTypeVector || in.arg(2) != 2 {
		return ""
	}
	return map[Kind]Kind{Float32: Complex64, Float64: Complex128}[p.scalar(in.arg(1))]
}

// pushBlock returns the members of the push block in the order of their offsets. It fails for a
// shader with two blocks of push constants, because a pipeline has only one range.
func (p *parsed) pushBlock() ([]PushField, error) {
	var fields []PushField
	for _, id := range p.order {
		variable := p.defs[id]
		if variable.op != opVariable || variable.arg(2) != storagePushConstant {
			continue
		}
		block := p.defs[p.defs[variable.arg(0)].arg(2)]
		if block.op != opTypeStruct || fields != nil {
			return nil, errors.New("push constants must be one block")
		}
		for i, typ := range block.args[1:] {
			of := member{block.arg(0), uint32(i)}
			f, err := p.pushField(typ)
			f.Name = p.members[of]
			if err != nil {
				return nil, fmt.Errorf("push member %q: %w", f.Name, err)
			}
			f.Offset = uintptr(p.decorations[decoration{of, decorationOffset}])
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b PushField) int { return int(a.Offset) - int(b.Offset) })
	return fields, nil
}

// pushField describes a member of the push block, without its name and offset. It fails for types
// that have no Go type with the same bits.
func (p *parsed) pushField(typ uint32) (f PushField, err error) {
	in := p.defs[typ]
	if in.op == opTypePointer && in.arg(1) == storagePhysicalStorageBuffer {
		f.Kind = Address
		err = p.pointee(in.arg(2), &f)
	} else if f.Kind = p.scalar(typ); f.Kind == "" || f.Kind.Size() < 4 {
		err = errors.New("only scalars of 32 or 64 bits and buffer references")
	}
	if err == nil {
		f.Size = f.Kind.Size()
	}
	return f, err
}

// pointee sets the element type and the access of a buffer reference. The block must be one array
// of structs, or consist of one kind of number. `pointee` adds the struct type to p.structs.
//
// glslang decorates the members of readonly blocks with NonWritable, and the members of writeonly
// blocks with NonReadable. A block counts as readable if one of its members is readable, and as
// writable if one of its members is writable.
func (p *parsed) pointee(typ uint32, f *PushField) error {
	block := p.defs[typ]
	if block.op != opTypeStruct {
		return errors.New("a buffer reference to something that is no block")
	}
	if element, found := p.structElement(block); found {
		stride, _ := p.decoration(block.arg(1), decorationArrayStride)
		s, err := p.structure(element, stride)
		if err != nil {
			return err
		}
		if other, twice := p.structs[s.Name]; twice && !reflect.DeepEqual(other, s) {
			return fmt.Errorf("two structs %s", s.Name)
		}
		f.Elem = Kind(s.Name)
		p.structs[s.Name] = s
	} else if elem, ok := p.leaf(typ, "", 0); ok && elem != "" {
		f.Elem = elem
	} else {
		return fmt.Errorf("its block %s does not consist of one kind of number", p.names[typ])
	}
	for i := range block.args[1:] {
		of := member{typ, uint32(i)}
		_, nonWritable := p.decorations[decoration{of, decorationNonWritable}]
		_, nonReadable := p.decorations[decoration{of, decorationNonReadable}]
		f.Writable = f.Writable || !nonWritable
		f.Readable = f.Readable || !nonReadable
	}
	return nil
}

// leaf returns the kind of number of which a type consists, through arrays, vectors and structs. A
// vector of two floats or doubles is a complex number. The argument `seen` is the kind that was
// found before, or "". The result `ok` is false if the type has several kinds or none. The depth of
// nesting is limited, because types in broken modules may contain themselves.
func (p *parsed) leaf(typ uint32, seen Kind, depth int) (k Kind, ok bool) {
	in := p.defs[typ]
	switch {
	case depth > 16:
		return "", false
	case in.op == opTypeVector && p.complexKind(typ) != "":
		k = p.complexKind(typ)
		return k, seen == "" || seen == k
	case in.op == opTypeVector, in.op == opTypeMatrix, in.op == opTypeArray, in.op == opTypeRuntimeArray:
		return p.leaf(in.arg(1), seen, depth+1)
	case in.op == opTypeStruct:
		for _, m := range in.args[1:] {
			if seen, ok = p.leaf(m, seen, depth+1); !ok {
				return "", false
			}
		}
		return seen, seen != ""
	}
	k = p.scalar(typ)
	return k, k != "" && (seen == "" || seen == k)
}
