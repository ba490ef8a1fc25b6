package spirv

// These are the numbers of the SPIR-V specification that this package reads or writes.
const (
	// These are opcodes of debug information, and of the head of a module.
	opSourceContinued = 2
	opSource          = 3
	opSourceExtension = 4
	opName            = 5
	opMemberName      = 6
	opString          = 7
	opExtension       = 10
	opExtInstImport   = 11
	opMemoryModel     = 14
	opEntryPoint      = 15
	opExecutionMode   = 16
	opCapability      = 17

	// These are opcodes of types.
	opTypeBool         = 20
	opTypeInt          = 21
	opTypeFloat        = 22
	opTypeVector       = 23
	opTypeMatrix       = 24
	opTypeArray        = 28
	opTypeRuntimeArray = 29
	opTypeStruct       = 30
	opTypePointer      = 32

	// These are opcodes of constants, variables and functions.
	opConstantTrue          = 41
	opConstantFalse         = 42
	opConstant              = 43
	opConstantComposite     = 44
	opSpecConstantTrue      = 48
	opSpecConstantFalse     = 49
	opSpecConstant          = 50
	opSpecConstantComposite = 51
	opSpecConstantOp        = 52
	opFunction              = 54
	opVariable              = 59

	// These are opcodes of annotations, OpModuleProcessed and OpExecutionModeId.
	opDecorate             = 71
	opMemberDecorate       = 72
	opDecorationGroup      = 73
	opGroupDecorate        = 74
	opGroupMemberDecorate  = 75
	opModuleProcessed      = 330
	opExecutionModeId      = 331
	opDecorateId           = 332
	opDecorateString       = 5632
	opMemberDecorateString = 5633

	// These are opcodes of floating-point arithmetic.
	opFConvert          = 115
	opFNegate           = 127
	opFAdd              = 129
	opFSub              = 131
	opFMul              = 133
	opFDiv              = 136
	opFRem              = 140
	opFMod              = 141
	opVectorTimesScalar = 142
	opMatrixTimesScalar = 143
	opVectorTimesMatrix = 144
	opMatrixTimesVector = 145
	opMatrixTimesMatrix = 146
	opOuterProduct      = 147
	opDot               = 148

	// These are opcodes of integer arithmetic, comparisons and logic.
	opIAdd              = 128
	opISub              = 130
	opIMul              = 132
	opUDiv              = 134
	opUMod              = 137
	opIsNan             = 156
	opIsInf             = 157
	opLogicalOr         = 166
	opLogicalAnd        = 167
	opLogicalNot        = 168
	opSelect            = 169
	opIEqual            = 170
	opINotEqual         = 171
	opUGreaterThan      = 172
	opUGreaterThanEqual = 174
	opULessThan         = 176
	opULessThanEqual    = 178
	opFOrdEqual         = 180
	opFUnordNotEqual    = 183
	opShiftRightLogical = 194
	opShiftLeftLogical  = 196
	opBitwiseOr         = 197
	opBitwiseXor        = 198
	opBitwiseAnd        = 199
	opNot               = 200
)

// These are further opcodes, most of them of instructions inside functions.
const (
	opUndef                  = 1
	opLine                   = 8
	opExtInst                = 12
	opNoLine                 = 317
	opTypeFunction           = 33
	opConstantNull           = 46
	opFunctionParameter      = 55
	opFunctionEnd            = 56
	opFunctionCall           = 57
	opLoad                   = 61
	opStore                  = 62
	opCopyMemory             = 63
	opCopyMemorySized        = 64
	opAccessChain            = 65
	opInBoundsAccessChain    = 66
	opPtrAccessChain         = 67
	opConvertPtrToU          = 117
	opConvertUToPtr          = 120
	opVectorShuffle          = 79
	opCompositeConstruct     = 80
	opCompositeExtract       = 81
	opCopyObject             = 83
	opControlBarrier         = 224
	opMemoryBarrier          = 225
	opAtomicLoad             = 227
	opAtomicStore            = 228
	opAtomicExchange         = 229
	opAtomicCompareExchange  = 230
	opAtomicXor              = 242
	opPhi                    = 245
	opLoopMerge              = 246
	opSelectionMerge         = 247
	opLabel                  = 248
	opBranch                 = 249
	opBranchConditional      = 250
	opSwitch                 = 251
	opReturnValue            = 254
	opGroupBroadcast         = 337 // OpGroupNonUniformBroadcast
	opGroupShuffle           = 345 // OpGroupNonUniformShuffle
	opGroupShuffleXor        = 346 // OpGroupNonUniformShuffleXor
	opCooperativeMatrixLoad  = 4457
	opCooperativeMatrixStore = 4458
	opAtomicFMin             = 5614
	opAtomicFMax             = 5615
	opAtomicFAdd             = 6035
)

const (
	// These are numbers of decorations.
	decorationSpecId        = 1
	decorationArrayStride   = 6
	decorationBuiltIn       = 11
	decorationVolatile      = 21
	decorationCoherent      = 23
	decorationNonWritable   = 24
	decorationNonReadable   = 25
	decorationOffset        = 35
	decorationNoContraction = 42

	// These are numbers of built-in variables.
	builtInWorkgroupSize      = 25
	builtInGlobalInvocationId = 28

	// These are numbers of execution models and modes.
	executionModelGLCompute  = 5
	executionModeLocalSize   = 17
	executionModeLocalSizeId = 38

	// These are numbers of storage classes.
	storageInput                 = 1
	storageWorkgroup             = 4
	storagePrivate               = 6
	storagePushConstant          = 9
	storagePhysicalStorageBuffer = 5349
)

const (
	// These are numbers of memory models and scopes, and bits that control functions and loops.
	memoryModelVulkan = 3
	scopeDevice       = 1
	scopeQueueFamily  = 5
	dontInline        = 2 // function control

	unroll       = 0x1 // loop control
	dontUnroll   = 0x2
	promises     = 0x8 | 0x10 | 0x20 | 0x40 // hints on dependencies and rounds; each bit has an operand
	peelCount    = 0x80                     // these two have an operand each, and exclude dontUnroll
	partialCount = 0x100
)

// These are bits of memory operands of loads and stores, and bits of the semantics of barriers.
const (
	memoryAligned              = 0x2
	memoryMakePointerAvailable = 0x8
	memoryMakePointerVisible   = 0x10

	semanticsAcquire         = 0x2
	semanticsRelease         = 0x4
	semanticsAcquireRelease  = 0x8
	semanticsWorkgroupMemory = 0x100
	semanticsMakeAvailable   = 0x2000
	semanticsMakeVisible     = 0x4000
)
