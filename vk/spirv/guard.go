package spirv

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Access is a place in a guarded module that reads or writes memory by device address.
type Access struct {
	Kind     string // "load", "store" or "atomic"
	Bytes    int
	Of       string // what the shader calls it, "MatrixIn.at"; "" if it has no name
	Function string // where it stands
	Line     string // "file:line", "" where the module does not tell
}

// Watch is where a guarded module looks up what it may touch, and records what it should not have.
type Watch struct {
	Memory uint64 // device address of GuardTable bytes and the table behind them
	Kernel uint32 // what it writes into the record; not 0
}

// The memory of a Watch, offsets in bytes. The host sets all of it to zero, then Half and the
// table, before anything runs.
//
// The table has pairs of 64-bit words (from, end) by ascending from, a power of two of them, at
// least two; the first is (0, 0). An access to [a, a+n) is in range if a+n ≤ end of the last pair with from
// ≤ a. Behind the last range stand pairs (2⁶⁴−1, 0).
const (
	GuardKernel     = 0  // Watch.Kernel of the first access out of range
	GuardAccess     = 4  // its index in what Guard returned
	GuardAddress    = 8  // 64 bits
	GuardInvocation = 16 // gl_GlobalInvocationID, three words
	GuardHalf       = 32 // half the bytes of the table, 64 bits
	GuardZeros      = 256
	GuardSink       = 512
	GuardTable      = 1024

	guardWidest = GuardSink - GuardZeros // bytes that one access may have
	GuardPair   = 16
)

// Guard returns the module with every access by device address sent through a check, and these
// accesses. One that is out of range is recorded, if it is the first, and takes place
// elsewhere: loads find zeros, stores and atomics a place of their own that nobody reads. Loops stay loops.
//
// fields and data are the specialisation constants under which the module will be compiled. A module
// that touches memory in a way that is not understood is refused.
func Guard(code []byte, fields []SpecField, data []byte, w Watch) ([]byte, []Access, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, nil, err
	}
	g := &guarding{
		evaluation: evaluate(body, fields, data), additions: addTo(header, body),
		pointers: map[uint32]instruction{}, files: map[uint32]string{},
	}
	g.check = g.id()
	g.atomicScope = scopeDevice
	if body, err = g.rewrite(body); err != nil {
		return nil, nil, fmt.Errorf("spirv: guarding: %w", err)
	}
	if len(g.accesses) == 0 {
		return code, nil, nil
	}
	body = g.invocation(body)
	body = append(body, g.function(w)...)
	if !slices.Contains(g.capabilities, CapInt64) {
		body = slices.Insert(body, 0, instruction{opCapability, []uint32{uint32(CapInt64)}})
	}
	return g.encode(header, body), g.accesses, nil
}

// guarding is the pass at work.
type guarding struct {
	*evaluation
	*additions
	check       uint32                 // the function that is called
	index       uint32                 // gl_GlobalInvocationID
	atomicScope uint32                 // of the record
	pointers    map[uint32]instruction // what made each pointer to buffers, by its id
	files       map[uint32]string
	accesses    []Access
	where       Access // Function and Line of what is looked at
	inside      bool   // of functions: declarations are done with
}

// rewrite sends the accesses through the check.
func (g *guarding) rewrite(body []instruction) ([]instruction, error) {
	out := make([]instruction, 0, len(body))
	for _, in := range body {
		g.follow(in)
		if in.op == opMemoryModel && in.arg(1) == memoryModelVulkan {
			g.atomicScope = scopeQueueFamily // Device may need a capability there
		}
		for _, t := range touched(in.op) {
			if _, ok := g.pointers[in.arg(t.pointer)]; !ok || t.pointer >= len(in.args) {
				continue // of other memory
			}
			var err error
			if in, out, err = g.guard(in, t, out); err != nil {
				return nil, err
			}
		}
		out = append(out, rolled(in))
	}
	return out, nil
}

// rolled takes back the wish that a loop be unrolled, or some rounds of it: with a check at each access in each round,
// what comes of it is large enough to crash NVIDIA's compiler (580.159).
func rolled(in instruction) instruction {
	const unrolling, operand = unroll | peelCount | partialCount, 3 // the first word behind the control
	control := in.arg(2)
	if in.op != opLoopMerge || control&unrolling == 0 {
		return in
	}
	args := slices.Clone(in.args)
	args[2] = control&^unrolling | dontUnroll
	// Operands stand in the order of their bits.
	from := min(operand+bits.OnesCount32(control&promises), len(args))
	to := min(from+bits.OnesCount32(control&(peelCount|partialCount)), len(args))
	return instruction{in.op, slices.Delete(args, from, to)}
}

// follow takes note of what an instruction says about those behind it.
func (g *guarding) follow(in instruction) {
	switch in.op {
	case opString:
		g.files[in.arg(0)] = in.text(1)
	case opLine:
		g.where.Line = fmt.Sprintf("%s:%d", g.files[in.arg(0)], in.arg(1))
	case opNoLine:
		g.where.Line = ""
	case opFunction:
		// glslang's names have the types of the parameters behind them.
		name, _, _ := strings.Cut(g.names[in.arg(1)], "(")
		g.where, g.inside = Access{Function: name}, true
	default:
		// Ids are a module's own: where the first word is a type, the second is a result.
		typ := g.defs[in.arg(0)]
		made := g.inside || in.op == opUndef || in.op == opConstantNull
		if made && len(in.args) > 1 && typ.op == opTypePointer && typ.arg(1) == storagePhysicalStorageBuffer {
			g.pointers[in.arg(1)] = in
		}
	}
}
