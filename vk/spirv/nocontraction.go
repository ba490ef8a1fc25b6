package spirv

import "slices"

// NoContraction returns the module with every floating-point result decorated NoContraction. Then
// the driver must compute what the shader says, with a rounding after each operation.
//
// Without the decoration drivers rewrite FP64 expressions as if arithmetic were exact: (a+b)−b
// becomes a, and error-free transformations return zero. GLSL's precise does not suffice: compilers
// do not decorate conversions, and drivers then drop double(float(x)). Where a shader wants a fused
// operation, it calls fma().
//
// A module that has all decorations is returned unchanged.
func NoContraction(code []byte) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	marked := map[uint32]bool{}
	for _, in := range body {
		if in.op == opDecorate && in.arg(1) == decorationNoContraction {
			marked[in.arg(0)] = true
		}
	}
	var marks []instruction
	for _, in := range body {
		// All these instructions have the words: result type, result, operands.
		if id := in.arg(1); contracts(in.op) && !marked[id] {
			marks = append(marks, instruction{opDecorate, []uint32{id, decorationNoContraction}})
		}
	}
	return encode(header, slices.Insert(body, annotationsEnd(body), marks...)), nil
}

// contracts reports whether a driver may fold the operation into another one.
func contracts(op uint32) bool {
	switch op {
	case opFConvert, opFNegate, opFAdd, opFSub, opFMul, opFDiv, opFRem, opFMod,
		opVectorTimesScalar, opMatrixTimesScalar, opVectorTimesMatrix, opMatrixTimesVector,
		opMatrixTimesMatrix, opOuterProduct, opDot:
		return true
	}
	return false
}

// annotationsEnd returns the index of the first instruction after the annotations, the last section
// before types, constants and functions.
func annotationsEnd(body []instruction) int {
	end := slices.IndexFunc(body, func(in instruction) bool {
		switch in.op {
		case opCapability, opExtension, opExtInstImport, opMemoryModel, opEntryPoint,
			opExecutionMode, opExecutionModeId,
			opString, opSource, opSourceContinued, opSourceExtension, opName, opMemberName, opModuleProcessed,
			opDecorate, opMemberDecorate, opDecorationGroup, opGroupDecorate, opGroupMemberDecorate,
			opDecorateId, opDecorateString, opMemberDecorateString:
			return false
		}
		return true
	})
	if end < 0 {
		return len(body)
	}
	return end
}
