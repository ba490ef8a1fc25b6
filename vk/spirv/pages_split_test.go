package spirv

import (
	"cmp"
	"slices"
	"testing"
)

// accessAt is a load or store of a translated module: its distance in bytes from the address of the
// access of the original module, and the alignment that it claims.
type accessAt struct{ offset, align int }

// translatedAccesses lists the loads or the stores of a translated module: `op` is their opcode.
// Their addresses come from calls of the function translate, and instructions with other addresses
// are left out. The list is sorted by offset.
func translatedAccesses(t *testing.T, code []byte, op uint32) (list []accessAt) {
	t.Helper()
	_, body, err := decode(code)
	if err != nil {
		t.Fatal(err)
	}
	made := map[uint32]instruction{}
	for _, in := range body {
		switch in.op {
		case opConvertUToPtr, opConvertPtrToU, opFunctionCall, opIAdd, opConstant:
			made[in.arg(1)] = in
		}
	}
	for _, in := range body {
		pointer := in.arg(2)
		if op == opStore {
			pointer = in.arg(0)
		}
		call := made[made[pointer].arg(2)]
		if in.op != op || call.op != opFunctionCall {
			continue
		}
		offset := 0
		if sum := made[call.arg(3)]; sum.op == opIAdd {
			offset = int(made[sum.arg(3)].arg(2))
		}
		how := memoryOperands(in)
		if len(how) < 2 || how[0]&memoryAligned == 0 {
			t.Fatalf("opcode %d at %d has no alignment", op, offset)
		}
		list = append(list, accessAt{offset, int(how[1])})
	}
	slices.SortFunc(list, func(a, b accessAt) int { return cmp.Compare(a.offset, b.offset) })
	return list
}

// TestAlignmentOfParts checks the parts into which a load and a store are split. The alignment that
// a part claims must divide its address for every address that the whole access may have: a GPU may
// load 16 bytes by one instruction if the module claims an alignment of 16 bytes.
func TestAlignmentOfParts(t *testing.T) {
	const ( // ids of types, and further ids
		vec2 = 400 + iota
		vec3
		vec4
		double4
		three
		dense
		sparse
		mixed
		inner
		nested
		pointer
		converted
		value
	)
	types := &stream{}
	types.op(opTypeVector, vec2, tFloat, 2).op(opTypeVector, vec3, tFloat, 3).op(opTypeVector, vec4, tFloat, 4)
	types.op(opTypeVector, double4, tDouble, 4).op(opConstant, tUint, three, 3)
	types.op(opTypeArray, dense, tDouble, three).op(opTypeArray, sparse, tDouble, three)
	types.op(opTypeStruct, mixed, tUint, tFloat, tDouble, vec4).op(opTypeStruct, inner, tFloat, vec2).op(opTypeStruct, nested, tDouble, inner)
	marks := &stream{}
	marks.op(opDecorate, dense, decorationArrayStride, 8).op(opDecorate, sparse, decorationArrayStride, 16)
	for typ, offsets := range map[uint32][]uint32{mixed: {0, 4, 8, 16}, inner: {0, 4}, nested: {0, 8}} {
		for i, at := range offsets {
			marks.op(opMemberDecorate, typ, uint32(i), decorationOffset, at)
		}
	}
	for _, c := range []struct {
		name  string
		typ   uint32
		align uint32
		want  []accessAt
	}{
		{"three floats", vec3, 4, []accessAt{{0, 4}, {4, 4}, {8, 4}}},
		{"three floats", vec3, 8, []accessAt{{0, 8}, {4, 4}, {8, 8}}},
		{"three floats", vec3, 16, []accessAt{{0, 16}}},
		{"four floats", vec4, 4, []accessAt{{0, 4}, {4, 4}, {8, 4}, {12, 4}}},
		{"four floats", vec4, 8, []accessAt{{0, 8}, {8, 8}}},
		{"four floats", vec4, 16, []accessAt{{0, 16}}},
		{"four doubles", double4, 8, []accessAt{{0, 8}, {8, 8}, {16, 8}, {24, 8}}},
		{"four doubles", double4, 16, []accessAt{{0, 16}, {16, 16}}},
		{"dense array", dense, 8, []accessAt{{0, 8}, {8, 8}, {16, 8}}},
		{"dense array", dense, 16, []accessAt{{0, 16}, {8, 8}, {16, 16}}},
		{"sparse array", sparse, 8, []accessAt{{0, 8}, {16, 8}, {32, 8}}},
		{"sparse array", sparse, 16, []accessAt{{0, 16}, {16, 16}, {32, 16}}},
		{"struct", mixed, 8, []accessAt{{0, 8}, {4, 4}, {8, 8}, {16, 8}, {24, 8}}},
		{"struct", mixed, 16, []accessAt{{0, 16}, {4, 4}, {8, 8}, {16, 16}}},
		{"struct", mixed, 32, []accessAt{{0, 32}}},
		{"nested struct", nested, 8, []accessAt{{0, 8}, {8, 8}, {12, 4}, {16, 8}}},
		{"nested struct", nested, 16, []accessAt{{0, 16}, {8, 8}, {12, 4}, {16, 16}}},
	} {
		header, body, _ := decode(pageable(func(s *stream) {
			s.op(opConvertUToPtr, pointer, converted, idOne)
			s.op(opLoad, c.typ, value, converted, memoryAligned, c.align)
			s.op(opStore, converted, value, memoryAligned, c.align)
		}))
		declared := append(slices.Clone(*types), instruction{opTypePointer, []uint32{pointer, storagePhysicalStorageBuffer, c.typ}})
		body = slices.Insert(body, slices.IndexFunc(body, func(in instruction) bool { return in.op == opFunction }), declared...)
		body = slices.Insert(body, annotationsEnd(body), *marks...)
		translated, err := TranslateAddresses(encode(header, body), nil, nil, PageTable{Shift: 16, Push: 8})
		if err != nil {
			t.Errorf("%s, alignment %d: %v", c.name, c.align, err)
			continue
		}
		for name, op := range map[string]uint32{"loads": opLoad, "stores": opStore} {
			if have := translatedAccesses(t, translated, op); !slices.Equal(have, c.want) {
				t.Errorf("%s, alignment %d: %s (offset, alignment) %v, want %v", c.name, c.align, name, have, c.want)
			}
		}
	}
}
