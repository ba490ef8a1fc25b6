package spirv

import (
	"slices"
	"strings"
	"testing"
	"unsafe"
)

type trialSpec struct {
	LocalSize uint32  `spirv:"3"`
	Eps       float64 `spirv:"4"`
	Fused     Bool    `spirv:"5"`
}

type trialPush struct {
	N      uint32
	_      [4]byte
	A      Addr[float64]   `spirv:"r"`
	H      Addr[Float16]   `spirv:"rw"`
	S      Addr[trialSpec] `spirv:"w"`
	Unused Addr[uint32]    `spirv:"-"`
}

func trial() Module[trialSpec, trialPush] {
	m := Module[trialSpec, trialPush]{
		Name:      "trial",
		LocalSize: [3]Dimension{{Specialised: true, ID: 3}, {Fixed: 2}, {Fixed: 1}},
	}
	m.Spec, m.Push = Describe[trialSpec, trialPush]()
	return m
}

func TestDescribe(t *testing.T) {
	m := trial()
	if want := []SpecField{
		{"LocalSize", 3, Uint32, unsafe.Offsetof(trialSpec{}.LocalSize), 4},
		{"Eps", 4, Float64, unsafe.Offsetof(trialSpec{}.Eps), 8},
		{"Fused", 5, Boolean, unsafe.Offsetof(trialSpec{}.Fused), 4},
	}; !slices.Equal(m.Spec, want) {
		t.Errorf("constants %+v, want %+v", m.Spec, want)
	}
	if want := []PushField{
		{Name: "N", Size: 4, Kind: Uint32},
		{Name: "A", Offset: 8, Size: 8, Kind: Address, Elem: Float64, Readable: true},
		{Name: "H", Offset: 16, Size: 8, Kind: Address, Elem: Half, Readable: true, Writable: true},
		{Name: "S", Offset: 24, Size: 8, Kind: Address, Elem: "spirv.trialSpec", Writable: true},
		{Name: "Unused", Offset: 32, Size: 8, Kind: Address, Elem: Uint32},
	}; !slices.Equal(m.Push, want) {
		t.Errorf("push block %+v, want %+v", m.Push, want)
	}
}

// TestDescribeRefuses checks that fields without a tag, or with a wrong one, are refused.
func TestDescribeRefuses(t *testing.T) {
	for name, describe := range map[string]func(){
		"constant": func() { Describe[struct{ A uint32 }, struct{}]() },
		"address":  func() { Describe[struct{}, struct{ A Addr[float64] }]() },
		"access": func() {
			Describe[struct{}, struct {
				A Addr[float64] `spirv:"wr"`
			}]()
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: accepted", name)
				}
			}()
			describe()
		}()
	}
}

func TestModuleGroupSize(t *testing.T) {
	if have, want := trial().GroupSize(trialSpec{LocalSize: 96}), [3]uint32{96, 2, 1}; have != want {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestAddrPlus(t *testing.T) {
	if have := Addr[float64](1 << 40).Plus(1 << 31); have != 1<<40+1<<34 {
		t.Errorf("forward: %#x", have)
	}
	if have := Addr[float32](400).Plus(-100); have != 0 {
		t.Errorf("backward: %#x", have)
	}
	for _, n := range []int{0, 1, -7, 1 << 31, -(1 << 35)} {
		if a := Addr[float64](1 << 40); a.Until(a.Plus(n)) != n {
			t.Errorf("%d elements are %d", n, a.Until(a.Plus(n)))
		}
	}
}

func TestAddrsThatAreNotElementsApart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("half an element was accepted")
		}
	}()
	Addr[float64](64).Until(68)
}

func TestKindSizes(t *testing.T) {
	for kind, size := range map[Kind]uintptr{
		Uint8: 1, Int16: 2, Half: unsafe.Sizeof(Float16(0)), Uint32: 4, Float32: 4,
		Boolean: unsafe.Sizeof(True), Float64: 8, Int64: 8, Address: unsafe.Sizeof(Addr[float64](0)),
	} {
		if kind.Size() != size {
			t.Errorf("%s: %d bytes, want %d", kind, kind.Size(), size)
		}
	}
}

func TestCapabilityNames(t *testing.T) {
	if s := CapFloat64.String(); s != "Float64" {
		t.Error(s)
	}
	if s := Capability(99999).String(); s != "Capability(99999)" || Capability(99999).Known() {
		t.Error(s)
	}
}

// SharedBytes takes the value of each constant from the field at the constant's offset in S, the
// struct of specialization constants.
func TestModuleSharedBytes(t *testing.T) {
	type spec struct{ Columns, Rows uint32 }
	m := Module[spec, struct{}]{
		Name: "tiled", Code: tiled(opUDiv).code(),
		Spec: []SpecField{
			{"Rows", 4, Uint32, unsafe.Offsetof(spec{}.Rows), 4},
			{"Columns", 5, Uint32, unsafe.Offsetof(spec{}.Columns), 4},
		},
	}
	if have, err := m.SharedBytes(spec{Columns: 3, Rows: 30}); have != 8*(10+1)+12 || err != nil {
		t.Errorf("%d bytes, %v", have, err)
	}
	if _, err := m.SharedBytes(spec{Rows: 30}); err == nil || !strings.Contains(err.Error(), "tiled") {
		t.Errorf("a division by zero: %v", err)
	}
}
