package spirv

import (
	"fmt"
	"slices"
)

// additions are what a pass adds to a module: ids, and declarations behind all that are there.
type additions struct {
	bound    uint32            // the next id
	known    map[string]uint32 // what is declared, by its words
	declared []instruction
}

// addTo knows the declarations that must not stand twice in a module, and the constants.
func addTo(header []uint32, body []instruction) *additions {
	a := &additions{bound: header[3], known: map[string]uint32{}}
	for _, in := range body {
		switch in.op {
		case opTypeInt, opTypeBool, opTypeVector, opTypeFunction:
			if len(in.args) > 0 {
				a.known[key(in.op, in.args[1:])] = in.args[0]
			}
		case opConstant:
			if len(in.args) > 1 {
				a.known[key(in.op, append([]uint32{in.args[0]}, in.args[2:]...))] = in.args[1]
			}
		case opFunction:
			return a
		}
	}
	return a
}

func key(op uint32, words []uint32) string { return fmt.Sprint(op, words) }

func (a *additions) id() uint32 {
	a.bound++
	return a.bound - 1
}

// declare is the id of a type, declared once.
func (a *additions) declare(op uint32, args ...uint32) uint32 {
	k := key(op, args)
	id, ok := a.known[k]
	if !ok {
		id = a.id()
		a.known[k] = id
		a.declared = append(a.declared, instruction{op, append([]uint32{id}, args...)})
	}
	return id
}

// word and long are unsigned constants of 32 and 64 bits.
func (a *additions) word(v uint32) uint32 { return a.constant(a.uint(32), v) }
func (a *additions) long(v uint64) uint32 { return a.constant(a.uint(64), uint32(v), uint32(v>>32)) }

func (a *additions) constant(typ uint32, words ...uint32) uint32 {
	k := key(opConstant, append([]uint32{typ}, words...))
	id, ok := a.known[k]
	if !ok {
		id = a.id()
		a.known[k] = id
		a.declared = append(a.declared, instruction{opConstant, append([]uint32{typ, id}, words...)})
	}
	return id
}

func (a *additions) uint(bits uint32) uint32 { return a.declare(opTypeInt, bits, 0) }

// pointer is the type of a pointer to a buffer's integers of so many bits.
func (a *additions) pointer(bits uint32) uint32 {
	return a.declare(opTypePointer, storagePhysicalStorageBuffer, a.uint(bits))
}

// encode is the module with the declarations in their place: before the first function.
func (a *additions) encode(header []uint32, body []instruction) []byte {
	at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction })
	if at < 0 {
		at = len(body)
	}
	header = slices.Clone(header)
	header[3] = a.bound
	return encode(header, slices.Insert(body, at, a.declared...))
}
