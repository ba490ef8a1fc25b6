package spirv

import "slices"

// NoContraction returns the module with the decoration NoContraction on the results of all
// floating-point operations that `contracts` lists. The driver must then compute exactly these
// operations of the shader, with a rounding after each operation.
//
// Without the decoration drivers rewrite FP64 expressions as if arithmetic were exact. For example,
// (a+b)−b becomes a, and error-free transformations return zero. The GLSL keyword precise does not
// suffice: compilers do not decorate conversions, and drivers then remove double(float(x)). A
// shader that needs a fused multiply-add calls fma().
//
// A module that has all these decorations is returned unchanged.
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
		// In all these instructions word 0 is the result type, word 1 is the result, and the
		// operands follow.
		if id := in.arg(1); contracts(in.op) && !marked[id] {
			marks = append(marks, instruction{opDecorate, []uint32{id, decorationNoContraction}})
		}
	}
	return encode(header, slices.Insert(body, annotationsEnd(body), marks...)), nil
}

// contracts reports whether a driver may fuse this floating-point operation with another one, such
// as a multiplication and an addition.
func contracts(op uint32) bool {
	switch op {
	case opFConvert, opFNegate, opFAdd, opFSub, opFMul, opFDiv, opFRem, opFMod,
		opVectorTimesScalar, opMatrixTimesScalar, opVectorTimesMatrix, opMatrixTimesVector,
		opMatrixTimesMatrix, opOuterProduct, opDot:
		return true
	}
	return false
}

// annotationsEnd is the index after the annotations, the last section before types and functions.
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
