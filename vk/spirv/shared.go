package spirv

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// SharedBytes returns the number of bytes of shared memory that a shader declares with the given
// specialization constants. `data` holds the values of the constants, and `fields` gives the place
// of each constant in `data`. A constant that is not in `data` has its default value in the shader.
//
// Drivers may use less memory, because they remove variables that no invocation reads. They may
// also use more memory: some drivers spill registers to shared memory, and do not report this.
func SharedBytes(code []byte, fields []SpecField, data []byte) (int, error) {
	return declaredBytes(code, fields, data, storageWorkgroup, "")
}

// inMemory is the prefix of the names of private arrays that belong in memory, because their
// indices are not known at compile time. Drivers report these arrays as spilled registers.
const inMemory = "memory_"

// MemoryBytes returns the number of bytes of private memory that a shader intends for each
// invocation: the size of the global variables whose names begin with memory_. If a driver reports
// more bytes, the additional bytes are spilled registers.
func MemoryBytes(code []byte, fields []SpecField, data []byte) (int, error) {
	return declaredBytes(code, fields, data, storagePrivate, inMemory)
}

// declaredBytes returns the number of bytes of the variables of a storage class whose names begin
// with `prefix`, in the order of their declarations. "" selects all variables, even without debug
// names.
func declaredBytes(code []byte, fields []SpecField, data []byte, storage uint32, prefix string) (int, error) {
	body, err := declarations(code)
	if err != nil {
		return 0, err
	}
	e := evaluate(body, fields, data)
	total := 0
	for _, id := range e.order {
		variable := e.defs[id]
		if variable.op != opVariable || variable.arg(2) != storage || !strings.HasPrefix(e.names[id], prefix) {
			continue
		}
		bytes, align, err := e.size(e.defs[variable.arg(0)].arg(2), 0)
		if err != nil {
			return 0, fmt.Errorf("spirv: variable %q: %w", e.names[id], err)
		}
		total = (total+align-1)/align*align + bytes
	}
	return total, nil
}

// evaluation is a module together with the values of its specialization constants.
type evaluation struct {
	*parsed
	given map[uint32]uint64 // by SpecId
}

// evaluate reads the declarations of a module, and the values of its specialization constants. It
// takes the value of each constant from `data`, at the place that its entry in `fields` gives. A
// constant past the end of `data` has no value.
func evaluate(body []instruction, fields []SpecField, data []byte) *evaluation {
	e := &evaluation{collect(body), map[uint32]uint64{}}
	for _, f := range fields {
		if end := f.Offset + f.Size; f.Size <= 8 && end <= uintptr(len(data)) {
			var bits [8]byte
			copy(bits[:], data[f.Offset:end])
			e.given[f.ID] = binary.LittleEndian.Uint64(bits[:])
		}
	}
	return e
}

// size returns the number of bytes and the alignment of a type without explicit layout, as in
// shared memory. Numbers and vectors have the alignment of their scalars. Members of structs follow
// one another, and each member is aligned. Booleans take four bytes.
func (e *evaluation) size(typ uint32, depth int) (bytes, align int, err error) {
	in := e.defs[typ]
	if depth > deepest {
		return 0, 0, errTooDeep
	}
	switch in.op {
	case opTypeBool:
		return 4, 4, nil
	case opTypeInt, opTypeFloat:
		bytes = int(in.arg(1) / 8)
		return bytes, max(bytes, 1), nil
	case opTypeVector, opTypeMatrix:
		bytes, align, err = e.size(in.arg(1), depth+1)
		return bytes * int(in.arg(2)), align, err
	case opTypeArray:
		count, err := e.value(in.arg(2), depth+1)
		if err != nil {
			return 0, 0, err
		}
		bytes, align, err = e.size(in.arg(1), depth+1)
		return bytes * int(count), align, err
	case opTypeStruct:
		align = 1
		for _, m := range in.args[1:] {
			b, a, err := e.size(m, depth+1)
			if err != nil {
				return 0, 0, err
			}
			bytes, align = (bytes+a-1)/a*a+b, max(align, a)
		}
		return (bytes + align - 1) / align * align, align, nil
	}
	return 0, 0, fmt.Errorf("type of opcode %d has no size", in.op)
}

// deepest limits the depth of types and expressions. Compilers produce no such deep nesting, but
// broken modules may have cycles.
const deepest = 1000

var errTooDeep = fmt.Errorf("nested more than %d deep", deepest)

// value returns the value of a 32-bit integer or Boolean constant. It computes expressions of
// specialization constants as the driver does. `depth` is the number of nested expressions so far.
func (e *evaluation) value(id uint32, depth int) (uint32, error) {
	in := e.defs[id]
	if depth > deepest {
		return 0, errTooDeep
	}
	if specID, ok := e.decoration(id, decorationSpecId); ok {
		if v, ok := e.given[specID]; ok {
			return uint32(v), nil
		}
	}
	switch in.op {
	case opConstant, opSpecConstant:
		return in.arg(2), nil
	case opConstantTrue, opSpecConstantTrue:
		return 1, nil
	case opConstantFalse, opSpecConstantFalse:
		return 0, nil
	case opSpecConstantOp:
		var v [3]uint32
		for i := range min(len(v), max(len(in.args)-3, 0)) {
			var err error
			if v[i], err = e.value(in.arg(3+i), depth+1); err != nil {
				return 0, err
			}
		}
		return fold(in.arg(2), v)
	}
	return 0, fmt.Errorf("constant of opcode %d is not known", in.op)
}

// fold computes those operations of OpSpecConstantOp that array sizes need. Integers have 32 bits
// and wrap around. Boolean values are 0 and 1.
func fold(op uint32, v [3]uint32) (uint32, error) {
	truth := map[bool]uint32{true: 1}
	a, b := v[0], v[1]
	switch op {
	case opIAdd:
		return a + b, nil
	case opISub:
		return a - b, nil
	case opIMul:
		return a * b, nil
	case opUDiv, opUMod:
		if b == 0 {
			return 0, fmt.Errorf("division of %d by zero", a)
		}
		if op == opUDiv {
			return a / b, nil
		}
		return a % b, nil
	case opSelect:
		if a != 0 {
			return b, nil
		}
		return v[2], nil
	case opIEqual:
		return truth[a == b], nil
	case opINotEqual:
		return truth[a != b], nil
	case opUGreaterThan:
		return truth[a > b], nil
	case opUGreaterThanEqual:
		return truth[a >= b], nil
	case opULessThan:
		return truth[a < b], nil
	case opULessThanEqual:
		return truth[a <= b], nil
	case opLogicalOr:
		return truth[a|b != 0], nil
	case opLogicalAnd:
		return truth[a != 0 && b != 0], nil
	case opLogicalNot:
		return truth[a == 0], nil
	case opBitwiseOr:
		return a | b, nil
	case opBitwiseXor:
		return a ^ b, nil
	case opBitwiseAnd:
		return a & b, nil
	case opNot:
		return ^a, nil
	case opShiftRightLogical:
		return a >> (b & 31), nil
	case opShiftLeftLogical:
		return a << (b & 31), nil
	}
	return 0, fmt.Errorf("constant operation %d is not known", op)
}
