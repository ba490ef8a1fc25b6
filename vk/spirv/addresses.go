package spirv

import (
	"errors"
	"fmt"
	"slices"
)

// addresses follows the pointers into buffers while a pass rewrites one module. The pass calls
// `follow` for each instruction, in the order of the module. The pass then calls `redirect` to
// change the operands that `operands` lists.
type addresses struct {
	*evaluation
	*additions
	pointers map[uint32]instruction // instruction that made each pointer into a buffer, by the pointer's id
	inside   bool                   // a function has begun: no more declarations follow
}

// followAddresses returns the state at the beginning of a module. The function evaluate explains
// `fields` and `data`.
func followAddresses(header []uint32, body []instruction, fields []SpecField, data []byte) *addresses {
	return &addresses{
		evaluation: evaluate(body, fields, data), additions: addTo(header, body), pointers: map[uint32]instruction{},
	}
}

// follow adds the instruction to a.pointers if its result is a pointer into a buffer.
func (a *addresses) follow(in instruction) {
	if in.op == opFunction {
		a.inside = true
		return
	}
	typ := a.defs[in.arg(0)]
	made := a.inside || in.op == opUndef || in.op == opConstantNull
	if made && len(in.args) > 1 && typ.op == opTypePointer && typ.arg(1) == storagePhysicalStorageBuffer {
		a.pointers[in.arg(1)] = in
	}
}

// operands returns those operands of an instruction that are pointers into buffers.
func (a *addresses) operands(in instruction) (list []touch) {
	for _, t := range touched(in.op) {
		if _, ok := a.pointers[in.arg(t.pointer)]; ok && t.pointer < len(in.args) {
			list = append(list, t)
		}
	}
	return list
}

func (a *addresses) pointee(pointer uint32) uint32 { return a.defs[a.pointers[pointer].arg(0)].arg(2) }

// redirect replaces the pointer of one operand. It appends instructions to `out`: they convert the
// pointer to an integer, call `function` with this integer and `args`, and convert the result to a
// pointer of the same type. redirect returns the changed instruction, and the longer list `out`.
func (a *addresses) redirect(in instruction, t touch, out []instruction, function uint32, args ...uint32) (instruction, []instruction) {
	pointer := in.arg(t.pointer)
	typ, long := a.pointers[pointer].arg(0), a.uint(64)
	address, changed, instead := a.id(), a.id(), a.id()
	out = append(out,
		instruction{opConvertPtrToU, []uint32{long, address, pointer}},
		instruction{opFunctionCall, append([]uint32{long, changed, function, address}, args...)},
		instruction{opConvertUToPtr, []uint32{typ, instead, changed}})
	in.args = slices.Clone(in.args)
	in.args[t.pointer] = instead
	return in, out
}

// withInt64 adds the capability for 64-bit integers, which addresses need.
func (a *addresses) withInt64(body []instruction) []instruction {
	if !slices.Contains(a.capabilities, CapInt64) {
		body = slices.Insert(body, 0, instruction{opCapability, []uint32{uint32(CapInt64)}})
	}
	return body
}

// touch is an operand of an instruction that is a pointer to memory.
type touch struct {
	pointer int    // index of the pointer among the instruction's words
	kind    string // one of the values of Access.Kind; "" if the size of the access is not known
}

// touched returns the operands that are pointers to memory in an instruction with the opcode `op`.
// If the type of the pointer does not tell the size of the access, the member `kind` is "".
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

// target returns the name of the memory that a pointer points to, from the debug names of the
// module: BLOCK.MEMBER, or the name of the type if the pointer does not point into a block. It
// fails if the member has the decoration Coherent or Volatile, or if pointers are nested too deep.
func (a *addresses) target(pointer uint32) (string, error) {
	pointee := func(made instruction) instruction { return a.defs[a.defs[made.arg(0)].arg(2)] }
	for range deepest {
		made := a.pointers[pointer]
		if made.op != opAccessChain && made.op != opInBoundsAccessChain {
			return a.names[pointee(made).arg(0)], nil
		}
		pointer = made.arg(2)
		if block := pointee(a.pointers[pointer]); block.op == opTypeStruct {
			index, err := a.value(made.arg(3), 0)
			return a.member(member{block.arg(0), index}), errors.Join(err, a.plain(member{block.arg(0), index}))
		}
	}
	return "", errTooDeep
}

func (a *addresses) member(of member) string { return a.names[of.of] + "." + a.members[of] }

// plain returns an error if a struct member has the decoration Coherent or Volatile. An access to
// such a member cannot be redirected: the pass makes the pointer from an integer, and this pointer
// loses the decorations of members. Modules with the Vulkan memory model have operands of
// instructions instead of these decorations, so they have no such members.
func (a *addresses) plain(of member) error {
	for _, how := range []uint32{decorationVolatile, decorationCoherent} {
		if _, ok := a.decorations[decoration{of, how}]; ok {
			return fmt.Errorf("%s is coherent or volatile by decoration", a.member(of))
		}
	}
	return nil
}

// extent returns the number of bytes from the first to the last byte of a type in a buffer with
// explicit layout. It fails for runtime arrays, whose size is not known when the pipeline is made,
// and for matrices and Booleans.
func (a *addresses) extent(typ uint32, depth int) (int, error) {
	in := a.defs[typ]
	if depth > deepest {
		return 0, errTooDeep
	}
	switch in.op {
	case opTypeInt, opTypeFloat:
		return int(in.arg(1) / 8), nil
	case opTypePointer:
		return 8, nil
	case opTypeVector:
		bytes, err := a.extent(in.arg(1), depth+1)
		return bytes * int(in.arg(2)), err
	case opTypeArray:
		count, err := a.value(in.arg(2), depth+1)
		if err != nil {
			return 0, err
		}
		stride, _ := a.decoration(typ, decorationArrayStride)
		bytes, err := a.extent(in.arg(1), depth+1)
		return bytes + int(stride)*(int(count)-1), err
	case opTypeStruct:
		end := 0
		for i, m := range in.args[1:] {
			bytes, err := a.extent(m, depth+1)
			if err != nil {
				return 0, err
			}
			offset := a.decorations[decoration{member{typ, uint32(i)}, decorationOffset}]
			end = max(end, int(offset)+bytes)
		}
		return end, nil
	}
	return 0, fmt.Errorf("a type of opcode %d has no size", in.op)
}
