package spirv

import (
	"errors"
	"fmt"
	"slices"
)

// touch is one memory operand of an instruction: the index of the pointer among its words, and the
// kind of access.
type touch struct {
	pointer int
	kind    string // as Access.Kind; "" if the access is not one piece of a known size
}

// touched returns the memory operands of an instruction, by its opcode, or nil if it accesses no
// memory. An access of a whole block, whose size no operand tells, has the kind "".
func touched(op uint32) []touch {
	switch op {
	case opLoad:
		return []touch{{2, "load"}}
	case opStore:
		return []touch{{0, "store"}}
	case opCopyMemory:
		return []touch{{0, "store"}, {1, "load"}}
	case opAtomicStore:
		return []touch{{0, "atomic"}}
	case opAtomicFAdd, opAtomicFMin, opAtomicFMax:
		return []touch{{2, "atomic"}}
	case opCopyMemorySized:
		return []touch{{0, ""}, {1, ""}}
	case opCooperativeMatrixLoad:
		return []touch{{2, ""}}
	case opCooperativeMatrixStore:
		return []touch{{0, ""}}
	}
	if op >= opAtomicLoad && op <= opAtomicXor {
		return []touch{{2, "atomic"}}
	}
	return nil
}

// guard appends to out a check of one memory operand of an instruction. It returns the instruction
// with the checked pointer in place of its own. It fails if the number of bytes is unknown or
// larger than guardWidest.
func (g *guarding) guard(in instruction, t touch, out []instruction) (instruction, []instruction, error) {
	if t.kind == "" {
		return in, out, fmt.Errorf("no check for memory accesses of opcode %d", in.op)
	}
	pointer := in.arg(t.pointer)
	typ := g.pointers[pointer].arg(0)
	bytes, err := g.extent(g.defs[typ].arg(2), 0)
	if err == nil && bytes > guardWidest {
		err = fmt.Errorf("an access of %d bytes", bytes)
	}
	if err != nil {
		return in, out, err
	}
	access := g.where
	access.Kind, access.Bytes = t.kind, bytes
	if access.Of, err = g.target(pointer); err != nil {
		return in, out, err
	}
	place := uint64(GuardZeros)
	if t.kind != "load" {
		place = GuardSink
	}
	long := g.uint(64)
	address, checked, instead := g.id(), g.id(), g.id()
	out = append(out,
		instruction{opConvertPtrToU, []uint32{long, address, pointer}},
		instruction{opFunctionCall, []uint32{long, checked, g.check,
			address, g.long(uint64(bytes)), g.long(place), g.word(uint32(len(g.accesses)))}},
		instruction{opConvertUToPtr, []uint32{typ, instead, checked}})
	g.accesses = append(g.accesses, access)
	args := slices.Clone(in.args)
	args[t.pointer] = instead
	return instruction{in.op, args}, out, nil
}

// target returns the name of the memory that a pointer points to, as block.member, from the debug
// names of the module. The name is empty if the module has no debug names. The error says that the
// member is coherent or volatile by decoration, or that pointers are nested too deep.
func (g *guarding) target(pointer uint32) (string, error) {
	pointee := func(made instruction) instruction { return g.defs[g.defs[made.arg(0)].arg(2)] }
	for range deepest {
		made := g.pointers[pointer]
		if made.op != opAccessChain && made.op != opInBoundsAccessChain {
			return g.names[pointee(made).arg(0)], nil
		}
		pointer = made.arg(2)
		if block := pointee(g.pointers[pointer]); block.op == opTypeStruct {
			index, err := g.value(made.arg(3), 0)
			return g.member(member{block.arg(0), index}), errors.Join(err, g.plain(member{block.arg(0), index}))
		}
	}
	return "", errTooDeep
}

func (g *guarding) member(of member) string { return g.names[of.of] + "." + g.members[of] }

// plain refuses a member with the decoration Coherent or Volatile. The check makes the pointer from
// an integer, and such a pointer has no decorations of members, so they would be lost. In the
// Vulkan memory model the instructions have the same information.
func (g *guarding) plain(of member) error {
	for _, how := range []uint32{decorationVolatile, decorationCoherent} {
		if _, ok := g.decorations[decoration{of, how}]; ok {
			return fmt.Errorf("%s is coherent or volatile by decoration", g.member(of))
		}
	}
	return nil
}

// extent returns the number of bytes from the first to the last byte of a type in a buffer with
// explicit layout. The size of the type must be known when the pipeline is made, which excludes a
// runtime array.
func (g *guarding) extent(typ uint32, depth int) (int, error) {
	in := g.defs[typ]
	if depth > deepest {
		return 0, errTooDeep
	}
	switch in.op {
	case opTypeInt, opTypeFloat:
		return int(in.arg(1) / 8), nil
	case opTypePointer:
		return 8, nil
	case opTypeVector:
		bytes, err := g.extent(in.arg(1), depth+1)
		return bytes * int(in.arg(2)), err
	case opTypeArray:
		count, err := g.value(in.arg(2), depth+1)
		if err != nil {
			return 0, err
		}
		stride, _ := g.decoration(typ, decorationArrayStride)
		bytes, err := g.extent(in.arg(1), depth+1)
		return bytes + int(stride)*(int(count)-1), err
	case opTypeStruct:
		end := 0
		for i, m := range in.args[1:] {
			bytes, err := g.extent(m, depth+1)
			if err != nil {
				return 0, err
			}
			offset := g.decorations[decoration{member{typ, uint32(i)}, decorationOffset}]
			end = max(end, int(offset)+bytes)
		}
		return end, nil
	}
	return 0, fmt.Errorf("a type of opcode %d has no size", in.op)
}
