package spirv

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestReflectBareShader(t *testing.T) {
	info, err := Reflect(shader().code())
	if err != nil {
		t.Fatal(err)
	}
	want := &Info{
		EntryPoint:   "main",
		LocalSize:    [3]Dimension{{Fixed: 8}, {Fixed: 4}, {Fixed: 2}},
		Capabilities: []Capability{CapShader, CapFloat64},
	}
	if !reflect.DeepEqual(info, want) {
		t.Errorf("have %+v\nwant %+v", info, want)
	}
}

func TestReflectSpecConstants(t *testing.T) {
	eps := math.Float64bits(1e-300)
	s := shader().named(opName, "TILE", idX).named(opName, "EPS", idY).named(opName, "FUSED", idOne)
	s.op(opDecorate, idX, decorationSpecId, 7).op(opDecorate, idY, decorationSpecId, 2).
		op(opDecorate, idOne, decorationSpecId, 3)
	s.types().op(opSpecConstant, tUint, idX, 16).
		op(opSpecConstant, tDouble, idY, uint32(eps), uint32(eps>>32)).op(opSpecConstantTrue, tBool, idOne)
	info, err := Reflect(s.code())
	if err != nil {
		t.Fatal(err)
	}
	want := []SpecConstant{
		{"EPS", 2, Float64, eps}, {"FUSED", 3, Boolean, 1}, {"TILE", 7, Uint32, 16},
	}
	if !reflect.DeepEqual(info.Spec, want) {
		t.Errorf("have %+v\nwant %+v", info.Spec, want)
	}
}

// For local_size_x_id = 0 glslang makes an unnamed constant with SpecId 0. The shader may declare a
// named constant with the same SpecId.
func TestReflectLocalSizeByConstant(t *testing.T) {
	for _, name := range []string{"", "LOCAL_SIZE"} {
		s := shader()
		if name != "" {
			s.named(opName, name, idY)
		}
		s.op(opDecorate, idX, decorationSpecId, 0).op(opDecorate, idSize, decorationBuiltIn, builtInWorkgroupSize)
		if name != "" {
			s.op(opDecorate, idY, decorationSpecId, 0)
		}
		s.types().op(opSpecConstant, tUint, idX, 1).op(opConstant, tUint, idOne, 1).
			op(opSpecConstantComposite, tVec, idSize, idX, idOne, idOne)
		want := SpecConstant{"LOCAL_SIZE_X", 0, Uint32, 1}
		if name != "" {
			s.op(opSpecConstant, tUint, idY, 64)
			want = SpecConstant{name, 0, Uint32, 64}
		}
		info, err := Reflect(s.code())
		if err != nil {
			t.Fatal(err)
		}
		if size := [3]Dimension{{Specialised: true}, {Fixed: 1}, {Fixed: 1}}; info.LocalSize != size {
			t.Errorf("local size %+v", info.LocalSize)
		}
		if len(info.Spec) != 1 || info.Spec[0] != want {
			t.Errorf("have %+v, want %+v", info.Spec, want)
		}
	}
}

func TestReflectLocalSizeId(t *testing.T) {
	s := &stream{}
	s.named(opEntryPoint, "main", executionModelGLCompute, idMain)
	s.op(opExecutionModeId, idMain, executionModeLocalSizeId, idX, idOne, idOne)
	s.named(opName, "SIZE", idX).op(opDecorate, idX, decorationSpecId, 9)
	s.types().op(opSpecConstant, tUint, idX, 32).op(opConstant, tUint, idOne, 1)
	info, err := Reflect(s.code())
	if err != nil {
		t.Fatal(err)
	}
	if want := [3]Dimension{{Specialised: true, ID: 9}, {Fixed: 1}, {Fixed: 1}}; info.LocalSize != want {
		t.Errorf("have %+v, want %+v", info.LocalSize, want)
	}
}

func TestReflectPushBlock(t *testing.T) {
	s := shader().named(opMemberName, "n", tPush, 0).named(opMemberName, "a", tPush, 1).
		op(opMemberDecorate, tPush, 0, decorationOffset, 0).op(opMemberDecorate, tPush, 1, decorationOffset, 8).
		op(opMemberDecorate, tBlock, 0, decorationNonWritable)
	s.types().op(opTypeStruct, tBlock, tArray).op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
	info, err := Reflect(s.push(tUint, tPointer).code())
	if err != nil {
		t.Fatal(err)
	}
	want := []PushField{
		{Name: "n", Size: 4, Kind: Uint32},
		{Name: "a", Offset: 8, Size: 8, Kind: Address, Elem: Float64, Readable: true},
	}
	if !reflect.DeepEqual(info.Push, want) {
		t.Errorf("have %+v\nwant %+v", info.Push, want)
	}
}

// TestReflectComplex checks that a buffer of vectors of two floats or doubles holds complex
// numbers. Vectors of three numbers or of integers must count as single numbers.
func TestReflectComplex(t *testing.T) {
	const tPair, tPairs = 900, 901
	for _, c := range []struct {
		of, count uint32
		want      Kind
		size      uintptr
	}{{tDouble, 2, Complex128, 16}, {tFloat, 2, Complex64, 8}, {tDouble, 3, Float64, 8}, {tUint, 2, Uint32, 4}} {
		s := shader().types().op(opTypeVector, tPair, c.of, c.count).op(opTypeRuntimeArray, tPairs, tPair)
		s.op(opTypeStruct, tBlock, tPairs).op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
		info, err := Reflect(s.push(tPointer).code())
		if err != nil || info.Push[0].Elem != c.want || c.want.Size() != c.size {
			t.Errorf("%d numbers of type %d: %+v, %v, want %s of %d bytes", c.count, c.of, info, err, c.want, c.size)
		}
	}
	kinds := []Kind{KindOf[float32](), KindOf[float64](), KindOf[complex64](), KindOf[complex128](), KindOf[Float16]()}
	if want := []Kind{Float32, Float64, Complex64, Complex128, Half}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}

// merges declares a push block with a reference to buffer Merges { Merge at[]; }, struct Merge {
// uint lo, at[2]; double rho; }. The argument `rho` is the offset of the member rho. `stride` is
// the distance between elements of Merges.at, and `step` is the distance between elements of
// Merge.at. All three are in bytes.
func merges(rho, stride, step uint32) *stream {
	const tMerge, tPair, tMerges, idTwo = 800, 801, 802, 803
	s := shader().named(opName, "Merge", tMerge).
		named(opMemberName, "lo", tMerge, 0).named(opMemberName, "at", tMerge, 1).named(opMemberName, "rho", tMerge, 2)
	s.op(opDecorate, tPair, decorationArrayStride, step).op(opDecorate, tMerges, decorationArrayStride, stride)
	for i, offset := range []uint32{0, 4, rho} {
		s.op(opMemberDecorate, tMerge, uint32(i), decorationOffset, offset)
	}
	s.types().op(opConstant, tUint, idTwo, 2).op(opTypeArray, tPair, tUint, idTwo)
	s.op(opTypeStruct, tMerge, tUint, tPair, tDouble).op(opTypeRuntimeArray, tMerges, tMerge)
	s.op(opTypeStruct, tBlock, tMerges).op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
	return s.push(tPointer)
}

func TestReflectStructs(t *testing.T) {
	info, err := Reflect(merges(16, 24, 4).code())
	if err != nil {
		t.Fatal(err)
	}
	want := []Struct{{Name: "Merge", Size: 24, Fields: []StructField{
		{"lo", 0, Uint32, 0}, {"at", 4, Uint32, 2}, {"rho", 16, Float64, 0}}}}
	if !reflect.DeepEqual(info.Structs, want) || info.Push[0].Elem != "Merge" {
		t.Errorf("have %+v of %s, want %+v", info.Structs, info.Push[0].Elem, want)
	}
	if _, err := Reflect(merges(16, 24, 8).code()); err == nil || !strings.Contains(err.Error(), "8 bytes apart") {
		t.Errorf("a padded array: %v", err)
	}
}

// A block with two members counts as readable if one of its members is readable, and as writable if
// one of its members is writable.
func TestReflectAccessIsConservative(t *testing.T) {
	s := shader().op(opMemberDecorate, tBlock, 0, decorationNonWritable).
		op(opMemberDecorate, tBlock, 1, decorationNonReadable)
	s.types().op(opTypeStruct, tBlock, tDouble, tArray).op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
	info, err := Reflect(s.push(tPointer).code())
	if err != nil {
		t.Fatal(err)
	}
	if f := info.Push[0]; !f.Readable || !f.Writable || f.Elem != Float64 {
		t.Errorf("have %+v", f)
	}
}

func TestReflectRefuses(t *testing.T) {
	pointer := func(members ...uint32) *stream {
		s := shader().types().op(opTypeStruct, append([]uint32{tBlock}, members...)...)
		return s.op(opTypePointer, tPointer, storagePhysicalStorageBuffer, tBlock)
	}
	spec := func(a, b string) *stream {
		s := shader().named(opName, a, idX).named(opName, b, idY)
		s.op(opDecorate, idX, decorationSpecId, 1).op(opDecorate, idY, decorationSpecId, 1).types()
		return s.op(opSpecConstant, tUint, idX, 1)
	}
	for _, c := range []struct {
		name, want string
		s          *stream
	}{
		{"no entry point", "0 entry points", &stream{}},
		{"vector in the push block", "only scalars", shader().types().push(tVec)},
		{"bool in the push block", "only scalars", shader().types().push(tBool)},
		{"struct in the push block", "only scalars", shader().types().op(opTypeStruct, tBlock, tUint).push(tBlock)},
		{"mixed buffer", "one kind of number", pointer(tUint, tArray).push(tPointer)},
		{"empty buffer", "one kind of number", pointer().push(tPointer)},
		{"buffer of itself", "one kind of number", pointer(tBlock).push(tPointer)},
		{"names sharing an id", "share id 1", spec("A", "B").op(opSpecConstant, tUint, idY, 1)},
		{"kinds sharing an id", "is both", spec("A", "").op(opSpecConstant, tFloat, idY, 1)},
		{"constant without a name", "has no name", spec("", "").op(opSpecConstant, tUint, idY, 1)},
	} {
		if _, err := Reflect(c.s.code()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := shader().code()
	bad := map[string][]byte{
		"empty":        nil,
		"odd length":   good[:len(good)-1],
		"cut short":    good[:len(good)-4],
		"no magic":     append([]byte{0}, good[1:]...),
		"zero length":  append(good[:len(good):len(good)], 0, 0, 0, 0),
		"only a magic": good[:4],
	}
	for name, code := range bad {
		if _, err := Reflect(code); err == nil {
			t.Errorf("%s: Reflect accepted it", name)
		}
		if _, err := NoContraction(code); err == nil {
			t.Errorf("%s: NoContraction accepted it", name)
		}
	}
}

// committed calls f for the SPIR-V code of every kernel in the repository.
func committed(t *testing.T, f func(t *testing.T, name string, code []byte)) {
	paths, _ := filepath.Glob("../../shaders/spv/*.spv")
	if len(paths) == 0 {
		t.Skip("no compiled shaders")
	}
	for _, path := range paths {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f(t, filepath.Base(path), code)
	}
}

func TestReflectCommitted(t *testing.T) {
	committed(t, func(t *testing.T, name string, code []byte) {
		info, err := Reflect(code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if info.EntryPoint != "main" {
			t.Errorf("%s: entry point %q", name, info.EntryPoint)
		}
	})
}

// FuzzReflect checks that Reflect, SharedBytes and three passes do not crash for broken modules.
func FuzzReflect(f *testing.F) {
	f.Add(shader().types().push(tUint).code())
	paths, _ := filepath.Glob("../../shaders/spv/probe_fma.spv")
	for _, path := range paths {
		code, _ := os.ReadFile(path)
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		Reflect(code)
		NoContraction(code)
		Guard(code, nil, nil, Watch{1 << 32, 1})
		ControlFloats(code, allControls)
		SharedBytes(code, nil, nil)
	})
}
