package spirv

import (
	"fmt"
	"slices"
)

// InexactDivision returns the module with divisions and square roots that are not rounded
// correctly. Of doubles,
//
//	x/y  becomes  x·(1/y)        √x  becomes  1/(1/√x)
//
// A quotient is then wrong by at most 1.5 ulp if 1/y is a normal number. Also, x·(1/y) is not
// always monotonic in x. Mesa's drivers for AMD, Intel and NVIDIA divide in this way. The results
// for zeros, infinities and NaN do not change. If y is subnormal, 1/y may be infinite.
//
// In absolute value, quotients and roots of floats become one or two ulps larger, and inverse square
// roots one ulp smaller. Quotients then have the largest errors that Vulkan allows, and the errors
// do not cancel each other in sums.
//
// With the rewritten kernels, tests on a CPU find code that depends on exact division. Divisions
// and square roots of vectors are not changed.
func InexactDivision(code []byte) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	p := collect(body)
	double, single, extended := uint32(0), uint32(0), uint32(0)
	for _, in := range body {
		switch {
		case in.op == opTypeFloat && in.arg(1) == 64:
			double = in.arg(0)
		case in.op == opTypeFloat && in.arg(1) == 32:
			single = in.arg(0)
		case in.op == opExtInstImport && in.text(1) == "GLSL.std.450":
			extended = in.arg(0)
		}
	}
	if double == 0 && single == 0 {
		return code, nil
	}
	if p.entries != 1 {
		return nil, fmt.Errorf("spirv: %d entry points", p.entries)
	}
	a := addTo(header, body)
	var out []instruction
	for _, in := range body {
		function, typ := uint32(0), in.arg(0)
		if in.op == opExtInst && in.arg(2) == extended {
			function = in.arg(3)
		}
		divides := in.op == opFDiv || function == glslSqrt || function == glslInverseSqrt
		if !divides || typ != double && typ != single || typ == double && function == glslInverseSqrt {
			out = append(out, in)
			continue
		}
		result, exact := in.arg(1), a.id()
		if typ == single {
			factor := uint32(nextAfterOne)
			if function == glslInverseSqrt {
				factor = lastBeforeOne
			}
			changed := slices.Clone(in.args)
			changed[1] = exact
			out = append(out, instruction{in.op, changed},
				instruction{opFMul, []uint32{single, result, exact, a.constant(single, factor)}})
			continue
		}
		one := a.constant(double, 0, highWordOfOne)
		if function == glslSqrt {
			inverse := a.id()
			out = append(out,
				instruction{opExtInst, []uint32{double, exact, extended, glslSqrt, in.arg(4)}},
				instruction{opFDiv, []uint32{double, inverse, one, exact}},
				instruction{opFDiv, []uint32{double, result, one, inverse}})
			continue
		}
		out = append(out,
			instruction{opFDiv, []uint32{double, exact, one, in.arg(3)}},
			instruction{opFMul, []uint32{double, result, in.arg(2), exact}})
	}
	// Drivers must not fuse or cancel the new operations.
	return NoContraction(a.encode(header, out))
}

// These are the numbers of instructions in the instruction set GLSL.std.450, and words of floating-
// point numbers: the upper 32 bits of the double 1, whose lower 32 bits are 0, the float after 1 and
// the float before 1.
const (
	glslSqrt        = 31
	glslInverseSqrt = 32
	highWordOfOne   = 0x3ff00000
	nextAfterOne    = 0x3f800001
	lastBeforeOne   = 0x3f7fffff
)
