package spirv

import "slices"

// invocation sets g.index to the id of the variable gl_GlobalInvocationID, and declares this
// variable if the module does not: a module must not have two variables of one built-in.
func (g *guarding) invocation(body []instruction) []instruction {
	for _, id := range g.order {
		b, ok := g.decoration(id, decorationBuiltIn)
		if ok && b == builtInGlobalInvocationId && g.defs[id].op == opVariable {
			g.index = id
			return body
		}
	}
	g.index = g.id()
	typ := g.declare(opTypePointer, storageInput, g.declare(opTypeVector, g.uint(32), 3))
	g.declared = append(g.declared, instruction{opVariable, []uint32{typ, g.index, storageInput}})
	mark := instruction{opDecorate, []uint32{g.index, decorationBuiltIn, builtInGlobalInvocationId}}
	body = slices.Insert(body, annotationsEnd(body), mark)
	for i, in := range body {
		if in.op == opEntryPoint { // its last words are the variables of its interface
			body[i] = instruction{in.op, append(slices.Clone(in.args), g.index)}
		}
	}
	return body
}

// function returns the SPIR-V function that every access calls. It is equivalent to this GLSL:
//
//	uint64_t check(uint64_t address, uint64_t bytes, uint64_t place, uint access) {
//		uint64_t at = 0; // the last pair with from ≤ address, by bisection
//		for (uint64_t step = half; step >= PAIR; step >>= 1)
//			if (table[at + step].from <= address) at += step;
//		uint64_t end = table[at].end;
//		if (address <= end && bytes <= end - address) return address;
//		if (atomicCompSwap(record.kernel, 0, KERNEL) == 0) { record the rest }
//		return memory + place;
//	}
//
// The loop ends after log₂(length of the table) iterations. The calling function gets only a call,
// so its structured control flow stays valid.
func (g *guarding) function(w Watch) []instruction {
	long, word, truth := g.uint(64), g.uint(32), g.declare(opTypeBool)
	f := &writer{additions: g.additions}
	address, bytes, place, access := g.id(), g.id(), g.id(), g.id()
	typ := g.declare(opTypeFunction, long, long, long, long, word)
	f.do(opFunction, long, g.check, dontInline, typ)
	for _, p := range [][2]uint32{{long, address}, {long, bytes}, {long, place}, {word, access}} {
		f.do(opFunctionParameter, p[0], p[1])
	}
	entry, loop, look, again, found := g.id(), g.id(), g.id(), g.id(), g.id()
	outside, first, noted, done := g.id(), g.id(), g.id(), g.id()
	memory := g.long(w.Memory)

	f.do(opLabel, entry)
	half := f.read(64, g.long(w.Memory+GuardHalf))
	f.do(opBranch, loop)

	f.do(opLabel, loop)
	onward, shorter := g.id(), g.id() // at and step of the next round
	at := f.make(opPhi, long, g.long(0), entry, onward, again)
	step := f.make(opPhi, long, half, entry, shorter, again)
	more := f.make(opUGreaterThanEqual, truth, step, g.long(GuardPair))
	f.do(opLoopMerge, found, again, 0)
	f.do(opBranchConditional, more, look, found)

	f.do(opLabel, look)
	table := g.long(w.Memory + GuardTable)
	ahead := f.make(opIAdd, long, at, step)
	from := f.read(64, f.make(opIAdd, long, table, ahead))
	before := f.make(opULessThanEqual, truth, from, address)
	f.do(opSelect, long, onward, before, ahead, at)
	f.do(opBranch, again)

	f.do(opLabel, again)
	f.do(opShiftRightLogical, long, shorter, step, g.word(1))
	f.do(opBranch, loop)

	f.do(opLabel, found)
	end := f.read(64, f.make(opIAdd, long, f.make(opIAdd, long, table, at), g.long(8)))
	below := f.make(opULessThanEqual, truth, address, end)
	fits := f.make(opULessThanEqual, truth, bytes, f.make(opISub, long, end, address))
	inside := f.make(opLogicalAnd, truth, below, fits)
	f.do(opSelectionMerge, done, 0)
	f.do(opBranchConditional, inside, done, outside)

	f.do(opLabel, outside)
	relaxed := g.word(0)
	old := f.make(opAtomicCompareExchange, word, f.at(32, g.long(w.Memory+GuardKernel)),
		g.word(g.atomicScope), relaxed, relaxed, g.word(w.Kernel), g.word(0))
	alone := f.make(opIEqual, truth, old, g.word(0))
	f.do(opSelectionMerge, noted, 0)
	f.do(opBranchConditional, alone, first, noted)

	f.do(opLabel, first)
	f.write(32, g.long(w.Memory+GuardAccess), access)
	f.write(64, g.long(w.Memory+GuardAddress), address)
	index := f.make(opLoad, g.declare(opTypeVector, word, 3), g.index)
	for i := range uint32(3) {
		f.write(32, g.long(w.Memory+GuardInvocation+4*uint64(i)), f.make(opCompositeExtract, word, index, i))
	}
	f.do(opBranch, noted)

	f.do(opLabel, noted)
	elsewhere := f.make(opIAdd, long, memory, place)
	f.do(opBranch, done)

	f.do(opLabel, done)
	f.do(opReturnValue, f.make(opPhi, long, address, found, elsewhere, noted))
	f.do(opFunctionEnd)
	return f.body
}

type writer struct {
	*additions
	body []instruction
}

func (f *writer) do(op uint32, args ...uint32) { f.body = append(f.body, instruction{op, args}) }

// make appends an instruction whose result has the type `typ`, and returns the id of the result.
func (f *writer) make(op, typ uint32, args ...uint32) uint32 {
	id := f.id()
	f.do(op, append([]uint32{typ, id}, args...)...)
	return id
}

// `at` returns the id of a pointer to an unsigned integer of `bits` bits. `address` is the id of
// its address.
func (f *writer) at(bits, address uint32) uint32 {
	return f.make(opConvertUToPtr, f.pointer(bits), address)
}

func (f *writer) read(bits, address uint32) uint32 {
	return f.make(opLoad, f.uint(bits), f.at(bits, address), memoryAligned, bits/8)
}

func (f *writer) write(bits, address, value uint32) {
	f.do(opStore, f.at(bits, address), value, memoryAligned, bits/8)
}
