package spirv

import (
	"fmt"
	"slices"
)

// additions collects the ids, and the declarations of types and constants, that a pass adds to a
// module.
//
// SPIR-V forbids two declarations of the same number, Boolean, vector or function type. A pass
// therefore requests types and constants by value. If the module or an earlier request has declared
// the type or constant, the pass gets the existing id. The method `encode` inserts the new
// declarations after the declarations of the module, and before its first function.
type additions struct {
	bound    uint32            // the next id
	known    map[string]uint32 // ids of types and constants by key
	declared []instruction     // new declarations, in order
}

// addTo returns additions to a module that declare nothing yet. They know the module's declarations
// of integer, Boolean, vector and function types and of scalar constants.
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

// key returns a text that identifies a declaration: its opcode and its words without the result id.
func key(op uint32, words []uint32) string { return fmt.Sprint(op, words) }

func (a *additions) id() uint32 {
	a.bound++
	return a.bound - 1
}

// declare returns the id of a type, and declares the type if the module does not. `op` is the
// opcode of the declaration, and `args` are its words after the result id.
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

func (a *additions) word(v uint32) uint32 { return a.constant(a.uint(32), v) }
func (a *additions) long(v uint64) uint32 { return a.constant(a.uint(64), uint32(v), uint32(v>>32)) }

// constant returns the id of a constant. `typ` is the id of its type, which must be a scalar of 32
// or 64 bits. `words` are the words of its value, the low word first.
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

// pointer returns the id of a type: pointers to unsigned integers of `bits` bits in a buffer.
func (a *additions) pointer(bits uint32) uint32 {
	return a.declare(opTypePointer, storagePhysicalStorageBuffer, a.uint(bits))
}

// encode returns the code of the module with the additions. `body` has the changes of the pass.
func (a *additions) encode(header []uint32, body []instruction) []byte {
	at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction })
	if at < 0 {
		at = len(body)
	}
	header = slices.Clone(header)
	header[3] = a.bound
	return encode(header, slices.Insert(body, at, a.declared...))
}
