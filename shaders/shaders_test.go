package shaders

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders/gen/bindings"
	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

func sources(t *testing.T) (root string, all []*source.Source) {
	t.Helper()
	root, err := source.Root()
	if err != nil {
		t.Fatal(err)
	}
	if all, err = source.All("."); err != nil {
		t.Fatal(err)
	}
	return root, all
}

// TestGeneratedIsCurrent checks that the generated files belong to the present sources and the
// pinned compiler. The test needs no compiler, so it runs on every machine.
func TestGeneratedIsCurrent(t *testing.T) {
	root, all := sources(t)
	compiler, err := source.Compiler(root)
	if err != nil {
		t.Skip("no shell to ask for the pinned version:", err)
	}
	if err := bindings.Stale(".", all); err != nil {
		t.Error(err)
	}
	stamps := source.ReadStamps(".")
	made := map[string]bool{"stamps.txt": true}
	for _, s := range all {
		if err := stamps.Stale(".", s, compiler); err != nil {
			t.Error(err)
		}
		for _, v := range s.Compiled() {
			made[v.Name+".spv"] = true
		}
	}
	files, err := os.ReadDir("spv")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !made[f.Name()] {
			t.Errorf("spv/%s belongs to no source; run make shaders", f.Name())
		}
	}
}

// TestRecompile compiles every source again. The result must equal the committed bytes, and
// spirv-val must accept it.
func TestRecompile(t *testing.T) {
	when.Skip(t, when.Quick, "the hashes that TestGeneratedIsCurrent compares")
	root, all := sources(t)
	if !source.CompilerAvailable(root) {
		t.Skip("the pinned compiler is not here (tools/glslc.sh --fetch gets it)")
	}
	for _, s := range all {
		for _, v := range s.Compiled() {
			t.Run(v.Name, func(t *testing.T) {
				t.Parallel() // most of the time is spent in the compiler
				fresh, err := source.Compile(root, s, v)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(fresh, code(v.Name)) {
					t.Error("committed words differ from freshly compiled ones; run make shaders")
				}
				if err := source.Validate(root, source.SPVFile(".", v.Name)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestEveryNumberType checks that kernels of the dense path and of batches include numerics.glsl,
// and that those of the tridiagonal solvers and emulated products do so, too, or have the line
// "float64 only". Compilations for
// float32, complex64 and half precision must contain no double, because devices without doubles
// must accept them. No compilation may have half-precision arithmetic. Compilations for complex
// numbers must obey the rules of spirv.CheckComplex.
func TestEveryNumberType(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		switch s.Trade {
		case "product", "reduce", "chase", "back", "batch":
			if !s.Typed && s.Name != "slag2h" { // which converts between two given types
				t.Errorf("%s includes no numerics.glsl", s.File())
			}
		case "tridiag", "emulated":
			if !s.Float64 && !s.Typed {
				t.Errorf("%s includes no numerics.glsl, and has no line \"float64 only\" in its header", s.File())
			}
		}
		for _, v := range s.Variants {
			for _, n := range s.Others(v) {
				name := v.For(n).Name
				info, err := spirv.Reflect(code(name))
				if err == nil && n.Complex() {
					err = spirv.CheckComplex(code(name))
				}
				double := n.Go == string(spirv.Complex128)
				if err != nil || slices.Contains(info.Capabilities, spirv.CapFloat64) != double || slices.Contains(info.Capabilities, spirv.CapFloat16) {
					t.Errorf("%s: capabilities %v, %v", name, info.Capabilities, err)
				}
			}
		}
	}
}

// fits checks that a module describes its kernel: the same parameters with the same types at the
// same places, the same size of workgroups, the same capabilities, and the shader's defaults. The
// generated test TestModulesFitTheirKernels calls fits for each module.
func fits[S, P any](t *testing.T, m spirv.Module[S, P], defaults S) {
	t.Helper()
	info, err := spirv.Reflect(m.Code)
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	if !bytes.Equal(m.Code, code(m.Name)) {
		t.Errorf("%s has the code of another kernel", m.Name)
	}
	if m.LocalSize != info.LocalSize || !slices.Equal(m.Capabilities, info.Capabilities) {
		t.Errorf("%s: %v, %v; the kernel has %v, %v", m.Name, m.LocalSize, m.Capabilities, info.LocalSize, info.Capabilities)
	}
	structs := map[spirv.Kind]bool{}
	for _, s := range info.Structs {
		structs[spirv.Kind(s.Name)] = true
	}
	for i, f := range info.Push {
		f.Name = source.Camel(f.Name)
		if structs[f.Elem] {
			f.Elem = "shaders." + f.Elem
		}
		if i < len(m.Push) && m.Push[i].Kind == spirv.BitsOfReal && (f.Kind == spirv.Float64 || f.Kind == spirv.Uint64) {
			f.Kind = spirv.BitsOfReal
		}
		info.Push[i] = f
	}
	if !slices.Equal(m.Push, info.Push) {
		t.Errorf("%s: push block %+v; the kernel has %+v", m.Name, m.Push, info.Push)
	}
	if size := m.PushSize(); size > spirv.MaxPushBytes || size%4 != 0 {
		t.Errorf("%s: push block of %d bytes; at most %d in whole words", m.Name, size, spirv.MaxPushBytes)
	}
	if len(m.Spec) != len(info.Spec) {
		t.Fatalf("%s: constants %+v; the kernel has %+v", m.Name, m.Spec, info.Spec)
	}
	for i, f := range m.Spec {
		c := info.Spec[i]
		value := make([]byte, 8) // of the default, little-endian
		copy(value, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&defaults), f.Offset)), f.Size))
		if f.Name != source.Camel(strings.ToLower(c.Name)) || f.ID != c.ID || f.Kind != c.Kind ||
			f.Size != c.Kind.Size() || binary.LittleEndian.Uint64(value) != c.Default {
			t.Errorf("%s: constant %+v with the default %x; the kernel has %+v", m.Name, f, value, c)
		}
	}
}

// TestHas compares the answers of Has with the number types of some kernels. A request for a kernel
// of a type that it does not have must panic.
func TestHas(t *testing.T) {
	if !Has[float32]("sb2st_teams") || !Has[spirv.Float16]("tb2tb_chase") || Has[float64]("tb2tb") {
		t.Error("kernels for real numbers are not what they are")
	}
	if Has[complex128]("sb2st_teams") || Has[complex64]("sb2st_teams") || Has[spirv.Float16]("sb2st_teams") {
		t.Error("sb2st_teams is only for float64 and float32")
	}
	defer func() {
		if recover() == nil {
			t.Error("a module without code")
		}
	}()
	Sb2stTeams[complex128]()
}

func TestProbeModule(t *testing.T) {
	m := ProbeFma()
	spec := ProbeFmaDefaults()
	spec.LocalSize = 32
	if size := m.GroupSize(spec); size != [3]uint32{32, 1, 1} {
		t.Errorf("group size %v", size)
	}
}
