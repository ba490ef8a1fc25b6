package spirv

import "fmt"

// InexactDivision returns the module with divisions and square roots of doubles that are not
// rounded correctly:
//
//	x/y  becomes  x·(1/y)        √x  becomes  1/(1/√x)
//
// A quotient is then wrong by at most 1.5 ulp if 1/y is a normal number. Also, x·(1/y) is not
// always monotonic in x. Vulkan allows such errors, and Mesa's drivers for AMD, Intel and NVIDIA
// divide in this way. With the rewritten kernels, tests on a CPU find code that depends on exact
// division. The results for zeros, infinities and NaN do not change. If y is subnormal, 1/y may be
// infinite.
//
// Divisions and square roots of vectors are not changed.
func InexactDivision(code []byte) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	p := collect(body)
	double, extended := uint32(0), uint32(0)
	for _, in := range body {
		switch {
		case in.op == opTypeFloat && in.arg(1) == 64:
			double = in.arg(0)
		case in.op == opExtInstImport && in.text(1) == "GLSL.std.450":
			extended = in.arg(0)
		}
	}
	if double == 0 {
		return code, nil
	}
	if p.entries != 1 {
		return nil, fmt.Errorf("spirv: %d entry points", p.entries)
	}
	a := addTo(header, body)
	one := a.constant(double, 0, highWordOfOne)
	var out []instruction
	for _, in := range body {
		root := in.op == opExtInst && in.arg(2) == extended && in.arg(3) == glslSqrt
		if in.arg(0) != double || in.op != opFDiv && !root {
			out = append(out, in)
			continue
		}
		result, inverse := in.arg(1), a.id()
		if root {
			exact := a.id()
			out = append(out,
				instruction{opExtInst, []uint32{double, exact, extended, glslSqrt, in.arg(4)}},
				instruction{opFDiv, []uint32{double, inverse, one, exact}},
				instruction{opFDiv, []uint32{double, result, one, inverse}})
			continue
		}
		out = append(out,
			instruction{opFDiv, []uint32{double, inverse, one, in.arg(3)}},
			instruction{opFMul, []uint32{double, result, in.arg(2), inverse}})
	}
	// Drivers must not fuse or cancel the new operations.
	return NoContraction(a.encode(header, out))
}

// These are the number of the instruction Sqrt in the instruction set GLSL.std.450, and the upper
// 32 bits of the double 1. The lower 32 bits of this double are 0.
const (
	glslSqrt      = 31
	highWordOfOne = 0x3ff00000
)
