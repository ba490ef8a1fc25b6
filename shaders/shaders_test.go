package shaders

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

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

// The generated files belong to the present sources and the pinned compiler. This test needs no
// compiler, so it runs everywhere.
func TestGeneratedIsCurrent(t *testing.T) {
	root, all := sources(t)
	compiler, err := source.Compiler(root)
	if err != nil {
		t.Skip("no shell to ask for the pinned version:", err)
	}
	if err := source.StructsStale(".", all); err != nil {
		t.Error(err)
	}
	made := map[string]bool{}
	for _, s := range all {
		if err := source.Stale(".", s, compiler); err != nil {
			t.Error(err)
		}
		for _, v := range s.Variants {
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

// A new compilation gives the committed bytes, and they are valid SPIR-V.
func TestRecompile(t *testing.T) {
	root, all := sources(t)
	if !source.CompilerAvailable(root) {
		t.Skip("the pinned compiler is not here (tools/glslc.sh --fetch gets it)")
	}
	for _, s := range all {
		for _, v := range s.Variants {
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

// Kernels of the dense path do not name a floating-point type. They compile for the number types
// without committed SPIR-V, and then contain no double.
func TestEveryNumberType(t *testing.T) {
	root, all := sources(t)
	if !source.CompilerAvailable(root) {
		t.Skip("the pinned compiler is not here (tools/glslc.sh --fetch gets it)")
	}
	for _, s := range all {
		switch s.Trade {
		case "product", "reduce", "chase", "back":
			if !s.Typed {
				t.Errorf("%s includes no numerics.glsl", s.File())
			}
		case "tridiag", "emulated":
			if !s.Float64 {
				t.Errorf("%s has no line \"float64 only\" in its header", s.File())
			}
		}
		if !s.Typed {
			continue
		}
		for _, v := range s.Variants {
			for _, n := range source.Numbers[1:] {
				t.Run(v.For(n).Name, func(t *testing.T) {
					t.Parallel()
					testNumberType(t, root, s, v.For(n))
				})
			}
		}
	}
}

func testNumberType(t *testing.T, root string, s *source.Source, v source.Variant) {
	code, err := source.Compile(root, s, v)
	if err != nil {
		t.Error(err)
		return
	}
	info, err := spirv.Reflect(code)
	if err != nil || slices.Contains(info.Capabilities, spirv.CapFloat64) {
		t.Errorf("%s: capabilities %v, %v", v.Name, info.Capabilities, err)
	}
	file := filepath.Join(t.TempDir(), v.Name+".spv")
	if err := os.WriteFile(file, code, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := source.Validate(root, file); err != nil {
		t.Error(err)
	}
}

// A number type without committed SPIR-V is refused with the kernel's name.
func TestNumberTypeRefused(t *testing.T) {
	if m := Gemm[float64](); m.Name != "gemm" || m.Check() != nil {
		t.Errorf("%s: %v", m.Name, m.Check())
	}
	defer func() {
		if have := fmt.Sprint(recover()); have != "shaders: gemm has no SPIR-V for float32" {
			t.Error(have)
		}
	}()
	Gemm[float32]()
}

// The push block of every committed kernel fits every device.
func TestCommittedKernels(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		for _, v := range s.Variants {
			info, err := spirv.Reflect(code(v.Name))
			if err != nil {
				t.Errorf("%s: %v", v.Name, err)
				continue
			}
			for _, f := range info.Push {
				if f.Offset+f.Size > spirv.MaxPushBytes {
					t.Errorf("%s: push member %s ends at byte %d", v.Name, f.Name, f.Offset+f.Size)
				}
			}
		}
	}
}

func TestProbeModule(t *testing.T) {
	m := ProbeFma()
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	spec := ProbeFmaDefaults()
	spec.LocalSize = 32
	if size := m.GroupSize(spec); size != [3]uint32{32, 1, 1} {
		t.Errorf("group size %v", size)
	}
}
