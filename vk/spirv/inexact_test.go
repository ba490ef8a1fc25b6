package spirv

import (
	"bytes"
	"slices"
	"testing"
)

// InexactDivision replaces divisions and square roots of doubles by several operations, and no
// driver may contract these operations. The final result keeps its id. Operations on floats do not
// change.
func TestInexactDivision(t *testing.T) {
	const set, quotient, root, single = 600, 601, 602, 603
	s := shader().named(opExtInstImport, "GLSL.std.450", set).types()
	s.op(opFunction).op(opFDiv, tDouble, quotient, idX, idY).
		op(opExtInst, tDouble, root, set, glslSqrt, idX).op(opFDiv, tFloat, single, idX, idY)
	code, err := InexactDivision(s.code())
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := decode(code)
	one, first := header[3]-4, header[3]-3 // ids are given in order: one, 1/y, √x, 1/√x
	at := slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction })
	want := stream{}
	want.op(opConstant, tDouble, one, 0, 0x3ff00000).op(opFunction).
		op(opFDiv, tDouble, first, one, idY).op(opFMul, tDouble, quotient, idX, first).
		op(opExtInst, tDouble, first+2, set, glslSqrt, idX).op(opFDiv, tDouble, first+1, one, first+2).
		op(opFDiv, tDouble, root, one, first+1).op(opFDiv, tFloat, single, idX, idY)
	got := stream(body[at-1:])
	if !bytes.Equal(got.code(), want.code()) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, id := range []uint32{first, quotient, first + 1, root} {
		if !slices.Contains(decorated(t, code), id) {
			t.Errorf("a driver may contract %d", id)
		}
	}
}

// InexactDivision must accept every kernel of the repository, and change at least 20 of them. A
// kernel that gets only the constant 1 does not count.
func TestInexactDivisionCommitted(t *testing.T) {
	changed := 0
	committed(t, func(t *testing.T, name string, code []byte) {
		have, err := InexactDivision(code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(have) > len(code)+20 { // more than a constant
			changed++
		}
	})
	if changed < 20 {
		t.Errorf("%d kernels changed", changed)
	}
}
