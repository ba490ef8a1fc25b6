package spirv

// stream is a module that a test writes instruction by instruction.
type stream []instruction

func (s *stream) op(op uint32, args ...uint32) *stream {
	*s = append(*s, instruction{op, args})
	return s
}

// named appends an instruction to a test module. The last operand of the instruction is a string.
func (s *stream) named(op uint32, name string, args ...uint32) *stream {
	*s = append(*s, named(op, name, args...))
	return s
}

func (s *stream) code() []byte {
	return encode([]uint32{magic, 0x10500, 0, 1000, 0}, *s)
}

// These are the ids of types, constants and variables in the modules that tests write by hand.
const (
	tUint = 100 + iota
	tFloat
	tDouble
	tBool
	tVec
	tArray
	tBlock
	tPointer
	tPush
	tPushPointer
	idPush
	idMain
	idX
	idY
	idOne
	idSize
)

// shader returns a test module with the beginning of a compute shader: capabilities, entry point,
// local size.
func shader() *stream {
	s := &stream{}
	s.op(opCapability, uint32(CapFloat64)).op(opCapability, uint32(CapShader))
	s.named(opEntryPoint, "main", executionModelGLCompute, idMain)
	s.op(opExecutionMode, idMain, executionModeLocalSize, 8, 4, 2)
	return s
}

func (s *stream) types() *stream {
	return s.op(opTypeInt, tUint, 32, 0).op(opTypeFloat, tFloat, 32).op(opTypeFloat, tDouble, 64).
		op(opTypeBool, tBool).op(opTypeVector, tVec, tDouble, 2).op(opTypeRuntimeArray, tArray, tDouble)
}

func (s *stream) push(members ...uint32) *stream {
	return s.op(opTypeStruct, append([]uint32{tPush}, members...)...).
		op(opTypePointer, tPushPointer, storagePushConstant, tPush).
		op(opVariable, tPushPointer, idPush, storagePushConstant)
}
