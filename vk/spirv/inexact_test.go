package spirv

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// InexactDivision replaces divisions and square roots by several operations, and no driver may
// contract these operations. The final result keeps its id.
func TestInexactDivision(t *testing.T) {
	const set, quotient, root, single, singleRoot, inverseRoot = 600, 601, 602, 603, 604, 605
	s := shader().named(opExtInstImport, "GLSL.std.450", set).types()
	s.op(opFunction).op(opFDiv, tDouble, quotient, idX, idY).
		op(opExtInst, tDouble, root, set, glslSqrt, idX).op(opFDiv, tFloat, single, idX, idY).
		op(opExtInst, tFloat, singleRoot, set, glslSqrt, idX).op(opExtInst, tFloat, inverseRoot, set, glslInverseSqrt, idX)
	code, err := InexactDivision(s.code())
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := decode(code)
	// The pass gives these nine new ids in this order, from the bound of the module on.
	const ids = 9
	first := header[3] - ids
	reciprocal, one, exactRoot, inverse := first, first+1, first+2, first+3
	ratio, above, square, reverse, below := first+4, first+5, first+6, first+7, first+8
	at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction })
	want := stream{}
	want.op(opConstant, tDouble, one, 0, 0x3ff00000).
		op(opConstant, tFloat, above, math.Float32bits(1+0x1p-23)).op(opConstant, tFloat, below, math.Float32bits(1-0x1p-24)).
		op(opFunction).
		op(opFDiv, tDouble, reciprocal, one, idY).op(opFMul, tDouble, quotient, idX, reciprocal).
		op(opExtInst, tDouble, exactRoot, set, glslSqrt, idX).op(opFDiv, tDouble, inverse, one, exactRoot).
		op(opFDiv, tDouble, root, one, inverse).
		op(opFDiv, tFloat, ratio, idX, idY).op(opFMul, tFloat, single, ratio, above).
		op(opExtInst, tFloat, square, set, glslSqrt, idX).op(opFMul, tFloat, singleRoot, square, above).
		op(opExtInst, tFloat, reverse, set, glslInverseSqrt, idX).op(opFMul, tFloat, inverseRoot, reverse, below)
	got := stream(body[at-3:])
	if !bytes.Equal(got.code(), want.code()) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, id := range []uint32{reciprocal, quotient, inverse, root, ratio, single, singleRoot, inverseRoot} {
		if !slices.Contains(decorated(t, code), id) {
			t.Errorf("a driver may contract %d", id)
		}
	}
}

// InexactDivision must accept every kernel of the repository, and change at least 40 of them. No
// kernel may divide vectors, which InexactDivision would leave exact.
func TestInexactDivisionCommitted(t *testing.T) {
	changed := 0
	committed(t, func(t *testing.T, name string, code []byte) {
		have, err := InexactDivision(code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(have, code) {
			changed++
		}
		_, body, err := decode(code)
		if err != nil {
			t.Fatal(err)
		}
		var vectors []uint32
		for _, in := range body {
			switch {
			case in.op == opTypeVector:
				vectors = append(vectors, in.arg(0))
			case in.op == opFDiv && slices.Contains(vectors, in.arg(0)):
				t.Errorf("%s divides vectors", name)
			}
		}
	})
	if changed < 40 {
		t.Errorf("%d kernels changed", changed)
	}
}
