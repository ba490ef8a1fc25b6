package spirv

import (
	"encoding/binary"
	"strings"
	"testing"
)

// tiled declares shared double x[ROWS·COLUMNS + (ROWS > 3 ? 1 : 0)] and shared uint y[3]. ROWS has
// constant_id 4 and COLUMNS has constant_id 5. `op` is the opcode of the operation that · stands
// for.
func tiled(op uint32) *stream {
	const idProduct, idExtra, idLength, tX, pX, vX, tY, pY, vY, idThree = 700, 701, 702, 703, 704, 705, 706, 707, 708, 709
	const idZero, idWide = 710, 711
	s := shader().op(opDecorate, idX, decorationSpecId, 4).op(opDecorate, idY, decorationSpecId, 5)
	s.types().op(opSpecConstant, tUint, idX, 6).op(opSpecConstant, tUint, idY, 7).
		op(opConstant, tUint, idOne, 1).op(opConstant, tUint, idZero, 0).op(opConstant, tUint, idThree, 3).
		op(opSpecConstantOp, tUint, idProduct, op, idX, idY).
		op(opSpecConstantOp, tBool, idWide, opUGreaterThan, idX, idThree).
		op(opSpecConstantOp, tUint, idExtra, opSelect, idWide, idOne, idZero).
		op(opSpecConstantOp, tUint, idLength, opIAdd, idProduct, idExtra).
		op(opTypeArray, tX, tDouble, idLength).op(opTypePointer, pX, storageWorkgroup, tX).op(opVariable, pX, vX, storageWorkgroup).
		op(opTypeArray, tY, tUint, idThree).op(opTypePointer, pY, storageWorkgroup, tY).op(opVariable, pY, vY, storageWorkgroup)
	return s
}

func TestSharedBytes(t *testing.T) {
	fields := []SpecField{{"Rows", 4, Uint32, 0, 4}, {"Columns", 5, Uint32, 4, 4}}
	given := func(rows, columns uint32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, rows), columns)
	}
	for _, c := range []struct {
		data []byte
		want int
	}{
		{nil, 8*(6*7+1) + 12}, {given(10, 3), 8*(30+1) + 12}, {given(3, 5), 8*15 + 12}, {given(10, 3)[:4], 8*(70+1) + 12},
	} {
		if have, err := SharedBytes(tiled(opIMul).code(), fields, c.data); have != c.want || err != nil {
			t.Errorf("%v: %d bytes, want %d (%v)", c.data, have, c.want, err)
		}
	}
	if have, err := SharedBytes(shader().types().code(), nil, nil); have != 0 || err != nil {
		t.Errorf("a shader without any: %d, %v", have, err)
	}
}

// MemoryBytes counts only private variables whose names begin with memory_.
func TestMemoryBytes(t *testing.T) {
	const pP, vP, vQ, tP, idThree = 720, 721, 722, 723, 724
	s := shader().named(opName, "memory_slot", vP).named(opName, "window", vQ)
	s.types().op(opConstant, tUint, idThree, 3).op(opTypeArray, tP, tDouble, idThree).op(opTypePointer, pP, storagePrivate, tP).
		op(opVariable, pP, vP, storagePrivate).op(opVariable, pP, vQ, storagePrivate)
	if n, err := MemoryBytes(s.code(), nil, nil); n != 24 || err != nil {
		t.Errorf("%d bytes, %v; want 24", n, err)
	}
	if n, err := MemoryBytes(tiled(opIMul).code(), nil, nil); n != 0 || err != nil {
		t.Errorf("a shader with shared memory only: %d, %v", n, err)
	}
}

func TestSharedBytesRefuses(t *testing.T) {
	const opNobodyUses = 9999
	if _, err := SharedBytes(tiled(opNobodyUses).code(), nil, nil); err == nil || !strings.Contains(err.Error(), "9999") {
		t.Errorf("an unknown operation: %v", err)
	}
	none := binary.LittleEndian.AppendUint32(nil, 0)
	if _, err := SharedBytes(tiled(opUDiv).code(), []SpecField{{"Columns", 5, Uint32, 0, 4}}, none); err == nil {
		t.Error("a division by zero")
	}
	if _, err := SharedBytes([]byte("no module"), nil, nil); err == nil {
		t.Error("no module at all")
	}
}

func TestSharedBytesOfEveryKernel(t *testing.T) {
	const most = 48 << 10
	committed(t, func(t *testing.T, name string, code []byte) {
		if n, err := SharedBytes(code, nil, nil); err != nil || n > most {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	})
}
