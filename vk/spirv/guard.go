package spirv

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Access is one instruction of a guarded module that reads or writes memory by device address.
type Access struct {
	Kind     string // "load", "store" or "atomic"
	Bytes    int    // of one access
	Of       string // block and member in GLSL, such as "MatrixIn.at", from debug names
	Function string // in GLSL
	Line     string // "file:line"; "" if the module has no line numbers
}

// Watch gives the place of the table in which a guarded module looks up the addresses that it may
// access. The module records the first access out of range in the same memory.
type Watch struct {
	Memory uint64 // device address of GuardTable bytes and, after them, the table
	Kernel uint32 // number of the kernel in the record; not 0
}

// These constants are the layout of the memory of a Watch: offsets in bytes. Before any guarded
// module runs, the host sets all of this memory to zero, and then writes GuardHalf and the table.
// After a run the host reads GuardKernel. It is 0 if all accesses were in range. Otherwise it is
// the number of a kernel, Watch.Kernel, and the next three fields describe the first access out of
// range.
//
// The table is an array of pairs (from, end) of 64-bit words in ascending order of from. Each pair
// is a range of addresses [from, end), and ranges do not overlap. The length of the table is a
// power of two, at least two. The first pair is (0, 0). After the last range the table is filled
// with pairs (2⁶⁴−1, 0). To check an access to the addresses [a, a+n), the module finds the last
// pair with from ≤ a. The access is in range if a+n ≤ end.
const (
	GuardKernel     = 0    // Watch.Kernel of the first access out of range, 32 bits; 0: there was none
	GuardAccess     = 4    // index of this access in the list that Guard returned, 32 bits
	GuardAddress    = 8    // the address, 64 bits
	GuardInvocation = 16   // gl_GlobalInvocationID, three words of 32 bits
	GuardHalf       = 32   // half the bytes of the table, 64 bits
	GuardZeros      = 256  // offset of zeros, which a load out of range returns
	GuardSink       = 512  // offset of bytes to which stores and atomics out of range go
	GuardTable      = 1024 // the table

	guardWidest = GuardSink - GuardZeros // largest number of bytes of one access
	GuardPair   = 16                     // bytes of a pair of the table
)

// Guard returns the module with a check at every access by device address, and the list of these
// accesses. A check records the index of its access in the list.
//
// If an access is out of range, the check records the access, unless an earlier access was
// recorded. The check also redirects the access: loads read zeros, and stores and atomic operations
// go to memory that no kernel reads. A guarded module therefore accesses no memory outside the
// ranges of the table, except the memory of the Watch. Guard removes requests to unroll loops, and
// does not change the control flow in any other way.
//
// The arguments `fields` and `data` are the specialization constants with which the module will be
// compiled: `data` has the values, and `fields` gives the place of each constant in `data`. Guard
// returns an error for an instruction whose memory access it cannot check.
func Guard(code []byte, fields []SpecField, data []byte, w Watch) ([]byte, []Access, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, nil, err
	}
	g := &guarding{addresses: followAddresses(header, body, fields, data), files: map[uint32]string{}}
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
	return g.encode(header, g.withInt64(body)), g.accesses, nil
}

type guarding struct {
	*addresses
	check       uint32            // id of the function that every access calls
	index       uint32            // id of the variable gl_GlobalInvocationID
	atomicScope uint32            // scope of the atomic operation on the record
	files       map[uint32]string // names of source files by id
	accesses    []Access
	where       Access // Function and Line of the current instruction
}

// rewrite returns the body with a check before each access by device address.
func (g *guarding) rewrite(body []instruction) ([]instruction, error) {
	out := make([]instruction, 0, len(body))
	for _, in := range body {
		g.follow(in)
		g.note(in)
		if in.op == opMemoryModel && in.arg(1) == memoryModelVulkan {
			g.atomicScope = scopeQueueFamily // in this memory model, scope Device may need a capability
		}
		for _, t := range g.operands(in) {
			var err error
			if in, out, err = g.guard(in, t, out); err != nil {
				return nil, err
			}
		}
		out = append(out, rolled(in))
	}
	return out, nil
}

// rolled changes the merge instruction of a loop if it has requests to unroll or peel the loop: the
// request not to unroll the loop replaces them. All other instructions are returned unchanged. The
// reason: with a check at each memory access, unrolled loops become so large that NVIDIA's compiler
// crashes (version 580.159).
func rolled(in instruction) instruction {
	const unrolling, operand = unroll | peelCount | partialCount, 3 // index of the first word after the control
	control := in.arg(2)
	if in.op != opLoopMerge || control&unrolling == 0 {
		return in
	}
	args := slices.Clone(in.args)
	args[2] = control&^unrolling | dontUnroll
	// Each bit in the loop's control mask may have one operand. The operands follow the mask in the
	// order of the bits.
	from := min(operand+bits.OnesCount32(control&promises), len(args))
	to := min(from+bits.OnesCount32(control&(peelCount|partialCount)), len(args))
	return instruction{in.op, slices.Delete(args, from, to)}
}

func (g *guarding) note(in instruction) {
	switch in.op {
	case opString:
		g.files[in.arg(0)] = in.text(1)
	case opLine:
		g.where.Line = fmt.Sprintf("%s:%d", g.files[in.arg(0)], in.arg(1))
	case opNoLine:
		g.where.Line = ""
	case opFunction:
		// glslang appends the types of the parameters to the name of a function.
		name, _, _ := strings.Cut(g.names[in.arg(1)], "(")
		g.where = Access{Function: name}
	}
}

// guard appends to `out` a check of one memory operand, and returns the instruction with the
// checked pointer. It fails if the size of the access is unknown or larger than guardWidest, or if
// the method `target` fails.
func (g *guarding) guard(in instruction, t touch, out []instruction) (instruction, []instruction, error) {
	if t.kind == "" {
		return in, out, fmt.Errorf("no check for memory accesses of opcode %d", in.op)
	}
	pointer := in.arg(t.pointer)
	bytes, err := g.extent(g.pointee(pointer), 0)
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
	in, out = g.redirect(in, t, out, g.check, g.long(uint64(bytes)), g.long(place), g.word(uint32(len(g.accesses))))
	g.accesses = append(g.accesses, access)
	return in, out, nil
}
