package spirv

import (
	"errors"
	"fmt"
	"slices"
)

// touch is one memory operand of an instruction. `kind` says whether the instruction loads, stores
// or changes the memory atomically. The other member is the index of the pointer among the
// instruction's words.
type touch struct {
	pointer int
	kind    string // one of the values of Access.Kind; "" if the size of the access is not known
}

// touched returns the memory operands of an instruction by its opcode, or nil if the instruction
// accesses no memory. Some instructions access a whole block, and no operand gives the block's
// size; their kind is "".
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

// guard appends to `out` a check of one memory operand of an instruction. It returns the
// instruction with the checked pointer instead of the original pointer. It fails if the number of
// bytes of the access is unknown or larger than guardWidest.
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

// target returns the name of the memory that a pointer points to, as block.member. The name comes
// from the debug names of the module, and is empty if the module has none. `target` fails if the
// member has the decoration Coherent or Volatile, or if pointers are nested too deep.
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

// plain returns an error if a struct member has the decoration Coherent or Volatile. Such a member
// cannot be checked: the check makes the pointer from an integer, and this pointer loses the
// decorations of members. Modules with the Vulkan memory model have operands of instructions
// instead of these decorations, so they have no such members.
func (g *guarding) plain(of member) error {
	for _, how := range []uint32{decorationVolatile, decorationCoherent} {
		if _, ok := g.decorations[decoration{of, how}]; ok {
			return fmt.Errorf("%s is coherent or volatile by decoration", g.member(of))
		}
	}
	return nil
}

// extent returns the number of bytes from the first to the last byte of a type in a buffer with
// explicit layout. It fails for a runtime array, because the size of a runtime array is not known
// when the pipeline is made.
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
