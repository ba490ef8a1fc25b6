package shaders

import (
	"bytes"
	"os"
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

// TestGeneratedIsCurrent checks that the generated files belong to the present sources and the
// pinned compiler. The test needs no compiler, so it runs on every machine.
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

// TestEveryNumberType checks that kernels of the dense path name no floating-point type themselves.
// Their compilations for float32 and for half precision must contain no double, because devices
// without doubles must accept them, and no half-precision arithmetic.
func TestEveryNumberType(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		switch s.Trade {
		case "product", "reduce", "chase", "back":
			if !s.Typed && s.Name != "slag2h" { // which converts between two given types
				t.Errorf("%s includes no numerics.glsl", s.File())
			}
		case "tridiag", "emulated":
			if !s.Float64 {
				t.Errorf("%s has no line \"float64 only\" in its header", s.File())
			}
		}
		for _, v := range s.Variants {
			for _, n := range s.Others() {
				name := v.For(n).Name
				info, err := spirv.Reflect(code(name))
				if err != nil || slices.Contains(info.Capabilities, spirv.CapFloat64) || slices.Contains(info.Capabilities, spirv.CapFloat16) {
					t.Errorf("%s: capabilities %v, %v", name, info.Capabilities, err)
				}
			}
		}
	}
}

// TestTypedModules checks that the modules of a typed kernel fit the SPIR-V of each number type.
func TestTypedModules(t *testing.T) {
	for want, check := range map[string]error{
		Gemm[float64]().Name:                  Gemm[float64]().Check(),
		Gemm[float32]().Name:                  Gemm[float32]().Check(),
		Sb2stWave[float32]().Name:             Sb2stWave[float32]().Check(),
		Tb2tbChase[spirv.Float16]().Name:      Tb2tbChase[spirv.Float16]().Check(),
		Tb2bdBidiagonal[spirv.Float16]().Name: Tb2bdBidiagonal[spirv.Float16]().Check(),
		LacpySymmetric[float32]().Name:        LacpySymmetric[float32]().Check(),
		GeqrfPanelWhole[float32]().Name:       GeqrfPanelWhole[float32]().Check(),
	} {
		if check != nil {
			t.Errorf("%s: %v", want, check)
		}
	}
	if have := Gemm[float32]().Name; have != "gemm_f32" {
		t.Error(have)
	}
}

// TestCommittedKernels checks that the push block of every committed kernel is small enough for
// every device.
func TestCommittedKernels(t *testing.T) {
	_, all := sources(t)
	for _, s := range all {
		for _, v := range s.Compiled() {
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
