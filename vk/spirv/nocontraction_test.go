package spirv

import (
	"bytes"
	"slices"
	"testing"
)

// decorated returns the ids to which a module gives the decoration NoContraction, in order.
func decorated(t *testing.T, code []byte) (ids []uint32) {
	_, body, err := decode(code)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range body {
		if in.op == opDecorate && in.arg(1) == decorationNoContraction {
			ids = append(ids, in.arg(0))
		}
	}
	return ids
}

func TestNoContractionMarksEveryFloatOperation(t *testing.T) {
	all := []uint32{
		opFConvert, opFNegate, opFAdd, opFSub, opFMul, opFDiv, opFRem, opFMod,
		142, 143, 144, 145, 146, 147, 148,
	}
	s := shader().types().op(opFunction)
	var want []uint32
	for i, op := range all {
		want = append(want, 500+uint32(i))
		s.op(op, tDouble, 500+uint32(i), idX, idY)
	}
	const opIAdd = 128
	s.op(opIAdd, tUint, 600, idX, idY).op(opExtInst, tDouble, 601, 1, 50, idX, idY, idX)
	code, err := NoContraction(s.code())
	if err != nil {
		t.Fatal(err)
	}
	if have := decorated(t, code); !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestNoContractionKeepsMarksAndPlace(t *testing.T) {
	const keep, add = 700, 701
	s := shader().named(opName, "x", idX).op(opDecorate, keep, decorationNoContraction).
		op(opMemberDecorate, tPush, 0, decorationOffset, 0)
	marks := len(*s)
	s.types().op(opFunction).op(opFMul, tDouble, keep, idX, idY).op(opFAdd, tDouble, add, idX, idY)
	before := slices.Clone(*s)
	code, err := NoContraction(s.code())
	if err != nil {
		t.Fatal(err)
	}
	want := stream(slices.Insert(before, marks, instruction{opDecorate, []uint32{add, decorationNoContraction}}))
	if !bytes.Equal(code, want.code()) {
		t.Error("the new decoration does not follow the annotations, or something else changed")
	}
}

func TestNoContractionWithoutAnnotations(t *testing.T) {
	s := shader()
	at := len(*s)
	s.types().op(opFunction).op(opFMul, tDouble, 500, idX, idY)
	code, err := NoContraction(s.code())
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := decode(code)
	if body[at].op != opDecorate || body[at+1].op != opTypeInt {
		t.Errorf("opcodes %d, %d where the decoration belongs", body[at].op, body[at+1].op)
	}
}

func TestNoContractionTwiceIsOnce(t *testing.T) {
	committed(t, func(t *testing.T, name string, code []byte) {
		again, err := NoContraction(code)
		if err != nil || !bytes.Equal(again, code) {
			t.Errorf("%s: committed without the pass, or the pass is not idempotent (%v)", name, err)
		}
	})
}
