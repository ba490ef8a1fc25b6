package spirv

import (
	"fmt"
	"slices"
)

// additions collects what a pass adds to a module: new ids, and declarations of types and
// constants.
//
// A pass asks for types and constants by value. If the module has one already, or the pass has
// asked for it before, it gets the same id, because SPIR-V forbids to declare a type twice. encode
// puts the new declarations before the first function, after the declarations that are there.
type additions struct {
	bound    uint32            // the next id
	known    map[string]uint32 // ids of types and constants by key
	declared []instruction     // the new ones, in order
}

// addTo returns additions to a module that are still empty. It reads the declarations of integer,
// Boolean, vector and function types, and the constants. body is read, and not changed.
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

// key identifies a declaration without its id: its opcode and the words that define it.
func key(op uint32, words []uint32) string { return fmt.Sprint(op, words) }

// id returns a new id, a different one at each call.
func (a *additions) id() uint32 {
	a.bound++
	return a.bound - 1
}

// declare returns the id of a type. If the module does not have the type, declare adds it. args are
// the words after the result id.
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

// word and long return the ids of unsigned constants of 32 and 64 bits.
func (a *additions) word(v uint32) uint32 { return a.constant(a.uint(32), v) }
func (a *additions) long(v uint64) uint32 { return a.constant(a.uint(64), uint32(v), uint32(v>>32)) }

// constant returns the id of a constant of the type, given by its words, the low one first. The
// type must be a scalar of 32 or 64 bits.
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

// uint returns the id of the unsigned integer type with the given number of bits.
func (a *additions) uint(bits uint32) uint32 { return a.declare(opTypeInt, bits, 0) }

// pointer returns the type of a pointer into a buffer, to unsigned integers with the given number
// of bits.
func (a *additions) pointer(bits uint32) uint32 {
	return a.declare(opTypePointer, storagePhysicalStorageBuffer, a.uint(bits))
}

// encode returns the module with the additions in place. The pass may have changed body. The
// additions are inserted before the first function.
func (a *additions) encode(header []uint32, body []instruction) []byte {
	at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction })
	if at < 0 {
		at = len(body)
	}
	header = slices.Clone(header)
	header[3] = a.bound
	return encode(header, slices.Insert(body, at, a.declared...))
}
