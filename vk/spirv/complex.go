package spirv

import (
	"fmt"
	"slices"
	"strings"
)

// CheckComplex returns an error for a kernel that uses a complex number as something else. A
// complex number is a vector of two floats or doubles. GLSL compilers accept such code: a·b is the
// product of the parts, dvec2(1) is 1+i, and double(z) drops the imaginary part. The rules are:
//
//   - Complex numbers are only added, subtracted, negated, multiplied by real numbers, converted,
//     compared for equality, tested for NaN and infinity, and moved.
//   - No complex number but zero is made from one number twice.
//   - Only the functions of complexFunctions take the parts of a complex number.
//   - Loads and stores in memory are aligned to the size of the complex number, so that drivers
//     move both parts by one instruction.
//
// CheckComplex reads the names of functions, so it needs the module's debug information.
func CheckComplex(code []byte) error {
	_, body, err := decode(code)
	if err != nil {
		return err
	}
	c := complexChecker{parsed: collect(body), types: map[uint32]uint32{}}
	for _, in := range body {
		if err := c.check(in); err != nil {
			return fmt.Errorf("spirv: %s: %w", c.function, err)
		}
	}
	return nil
}

// complexFunctions are the GLSL functions that may take the parts of a complex number. All of them
// are in common/numerics_complex.glsl.
var complexFunctions = []string{
	"mul", "mad", "mad_conj", "conjugate", "conjugated", "real_of", "imag_of", "real_if", "square", "largest_part",
}

// complexOpcodes are the instructions that are allowed with complex numbers. Most of them are right
// for complex numbers as for other vectors. The others have no complex operands, but literals that
// may look like the ids of complex numbers. The method check has further conditions for some of
// these instructions.
var complexOpcodes = []uint32{
	opUndef, opFunction, opFunctionParameter, opFunctionCall, opReturnValue, opVariable, opLoad, opStore, opPhi, opSelect,
	opAccessChain, opInBoundsAccessChain, opCompositeConstruct, opCompositeExtract, opCopyObject,
	opLoopMerge, opSelectionMerge, opBranchConditional, opSwitch,
	opFAdd, opFSub, opFNegate, opFConvert, opVectorTimesScalar, opFOrdEqual, opFUnordNotEqual, opIsNan, opIsInf,
	opGroupBroadcast, opGroupShuffle, opGroupShuffleXor,
}

type complexChecker struct {
	*parsed
	types    map[uint32]uint32 // type of each result, by id
	function string            // name of the function that is checked, with its parameters; at first ""
}

func (c *complexChecker) complexKind(id uint32) Kind { return c.parsed.complexKind(c.types[id]) }

func (c *complexChecker) check(in instruction) error {
	if in.op == opFunction {
		c.function = c.names[in.arg(1)]
	}
	if c.hasType(in) {
		c.types[in.arg(1)] = in.arg(0)
	}
	operands := in.args
	if in.op == opExtInst {
		operands = slices.Concat(in.args[1:2], in.args[4:]) // without numbers that are no ids
	}
	if c.function != "" && !slices.Contains(complexOpcodes, in.op) && slices.ContainsFunc(operands, func(id uint32) bool { return c.complexKind(id) != "" }) {
		return fmt.Errorf("instruction %d treats a complex number as a vector", in.op)
	}
	switch in.op {
	case opFunction:
		if c.function == "" {
			return fmt.Errorf("function without a name, so the module has no debug information")
		}
	case opSelect:
		if c.complexKind(in.arg(1)) != "" && c.defs[c.types[in.arg(2)]].op != opTypeBool {
			return fmt.Errorf("each part of a complex number is selected alone")
		}
	case opConstantComposite, opSpecConstantComposite, opCompositeConstruct:
		if part := in.arg(2); c.complexKind(in.arg(1)) != "" && part == in.arg(3) && !c.zero(part) {
			return fmt.Errorf("a complex number has one number as both parts")
		}
	case opCompositeExtract:
		if c.holdsPart(c.types[in.arg(2)], in.args[3:], func(index uint32) uint32 { return index }) {
			return c.part()
		}
	case opAccessChain, opInBoundsAccessChain:
		typ := c.defs[c.types[in.arg(2)]].arg(2) // of what the base points to
		if c.holdsPart(typ, in.args[3:], func(index uint32) uint32 { return c.defs[index].arg(2) }) {
			return c.part()
		}
	case opLoad:
		return c.aligned(in.arg(0), in.arg(2), in.arg(3), in.arg(4))
	case opStore:
		return c.aligned(c.types[in.arg(1)], in.arg(0), in.arg(2), in.arg(3))
	}
	return nil
}

// hasType reports whether the instruction has a result with a type: words 0 and 1 are the ids of
// the type and of the result.
func (c *complexChecker) hasType(in instruction) bool {
	isType := func(op uint32) bool { return opTypeBool <= op && op <= opTypeFunction }
	switch in.op {
	case opName, opMemberName, opDecorate, opMemberDecorate:
		return false
	}
	return !isType(in.op) && isType(c.defs[in.arg(0)].op)
}

// part returns an error outside of functions that may take the parts of a complex number.
func (c *complexChecker) part() error {
	name, _, _ := strings.Cut(c.function, "(")
	if slices.Contains(complexFunctions, name) {
		return nil
	}
	return fmt.Errorf("a part of a complex number is taken")
}

// holdsPart reports whether the indices lead from the type typ into a complex number. The function
// `member` returns the number of the struct member for which an index stands.
func (c *complexChecker) holdsPart(typ uint32, indices []uint32, member func(index uint32) uint32) bool {
	for _, index := range indices {
		in := c.defs[typ]
		switch {
		case c.parsed.complexKind(typ) != "":
			return true
		case in.op == opTypeStruct:
			typ = in.arg(1 + int(member(index)))
		default:
			typ = in.arg(1)
		}
	}
	return false
}

func (c *complexChecker) zero(id uint32) bool {
	in := c.defs[id]
	return in.op == opConstant && in.arg(2) == 0 && in.arg(3) == 0
}

// aligned checks the memory operands `mask` and `bytes` of a load or store if the type typ is
// complex and the pointer points into a buffer.
func (c *complexChecker) aligned(typ, pointer, mask, bytes uint32) error {
	kind := c.parsed.complexKind(typ)
	if kind == "" || c.defs[c.types[pointer]].arg(1) != storagePhysicalStorageBuffer {
		return nil
	}
	if mask&memoryAligned == 0 || uintptr(bytes)%kind.Size() != 0 {
		return fmt.Errorf("a complex number of %d bytes is aligned to %d bytes in memory", kind.Size(), bytes)
	}
	return nil
}
