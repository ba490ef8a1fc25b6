package spirv

import "fmt"

// guard appends to `out` a check of one memory operand, and returns the instruction with the checked
// pointer. It fails if the size of the access is unknown or larger than guardWidest.
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
