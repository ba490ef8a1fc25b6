package bindings

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/shaders/gen/source"
	"github.com/vkevd/vkevd/vk/spirv"
)

var update = flag.Bool("update", false, "write the golden file anew")

// TestGolden generates Go code from two GLSL shaders and compares it with golden files. One shader
// has every kind of parameter, and the other shader has a type parameter.
func TestGolden(t *testing.T) {
	for _, name := range []string{"kinds", "typed"} {
		t.Run(name, func(t *testing.T) { testGolden(t, name) })
	}
}

func testGolden(t *testing.T, name string) {
	root, err := source.Root()
	if err != nil {
		t.Fatal(err)
	}
	if !source.CompilerAvailable(root) {
		t.Skip("the pinned compiler is not here (tools/glslc.sh --fetch gets it)")
	}
	dir := t.TempDir()
	shaders := filepath.Join(dir, "shaders")
	if err := os.CopyFS(filepath.Join(source.GLSL(shaders), "product"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "tools"), filepath.Join(dir, "tools")); err != nil {
		t.Fatal(err)
	}
	s, err := source.Read(filepath.Join(source.GLSL(shaders), "product", name+".comp"))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string][]byte{}
	for _, v := range s.Compiled() {
		if codes[v.Name], err = source.Compile(dir, s, v); err != nil {
			t.Fatal(err)
		}
		file := source.SPVFile(shaders, v.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, codes[v.Name], 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := source.Validate(root, file); err != nil {
			t.Error(err)
		}
	}
	if err := Check(s, codes); err != nil {
		t.Error(err)
	}
	files, err := Files(shaders, []*source.Source{s})
	if err != nil {
		t.Fatal(err)
	}
	for file, golden := range map[string]string{
		"z_product.go": ".golden", "z_structs.go": "_structs.golden", "z_modules_test.go": "_modules.golden",
	} {
		compareGolden(t, name+golden, files[file])
		if Stale(shaders, []*source.Source{s}) == nil {
			t.Error("Go files that are missing or old are not noticed")
		}
		if err := os.WriteFile(filepath.Join(shaders, file), files[file], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Stale(shaders, []*source.Source{s}); err != nil {
		t.Errorf("stale as soon as generated: %v", err)
	}
}

func compareGolden(t *testing.T, name string, have []byte) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, have, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("differs from %s (go test -update, then look at the difference):\n%s", golden, have)
	}
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		kind spirv.Kind
		bits uint64
		want string
	}{
		{spirv.Boolean, 0, "spirv.False"},
		{spirv.Boolean, 1, "spirv.True"},
		{spirv.Uint32, 1<<32 - 1, "4294967295"},
		{spirv.Int32, 1<<32 - 1, "-1"},
		{spirv.Int64, math.MaxUint64, "-1"},
		{spirv.Float32, uint64(math.Float32bits(0.1)), "0.1"},
		{spirv.Float64, math.Float64bits(0x1p-1074), "5e-324"},
		{spirv.Float64, math.Float64bits(math.Inf(1)), ""},
	} {
		have, err := literal(spirv.SpecConstant{Kind: c.kind, Default: c.bits})
		if have != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %#x: have %s, %v, want %s", c.kind, c.bits, have, err, c.want)
		}
	}
}

func TestNewKernelRefuses(t *testing.T) {
	field := func(name string, offset uintptr) spirv.PushField {
		return spirv.PushField{Name: name, Offset: offset, Size: 8, Kind: spirv.Uint64}
	}
	for want, push := range map[string][]spirv.PushField{
		"have the name LdA":     {field("ldA", 0), field("ld_a", 8)},
		"aligns it to its size": {field("a", 4)},
		"block of 136 bytes":    {field("a", 128)},
	} {
		_, err := newKernel(source.Variant{Name: "k"}, &spirv.Info{Push: push})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %q", err, want)
		}
	}
	k, err := newKernel(source.Variant{Name: "k"}, &spirv.Info{Push: []spirv.PushField{field("a", 120)}})
	if err != nil || k.size != spirv.MaxPushBytes {
		t.Errorf("the largest block: %v", err)
	}
}

// TestTypedComplex checks that a float64 member becomes the type parameter T if it has the number
// type of each compilation, and R if it is real in the kernels for complex numbers. It may not be
// complex for one of these types and real for the other one.
func TestTypedComplex(t *testing.T) {
	made := func(elem, norms spirv.Kind) *kernel {
		field := func(name string, offset uintptr, elem spirv.Kind) spirv.PushField {
			return spirv.PushField{Name: name, Offset: offset, Size: 8, Kind: spirv.Address, Elem: elem}
		}
		k, err := newKernel(source.Variant{Name: "k"}, &spirv.Info{
			Push:         []spirv.PushField{field("a", 0, elem), field("norms", 8, norms)},
			Capabilities: []spirv.Capability{spirv.CapFloat64},
		})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for _, c := range []struct {
		norms, single spirv.Kind // in the kernels for complex128 and complex64
		good          bool
		parameter     string
	}{
		{spirv.Complex128, spirv.Complex64, true, "[T spirv.Scalar]"},
		{spirv.Float64, spirv.Float32, true, "[T spirv.Scalar, R spirv.Real]"},
		{spirv.Complex128, spirv.Float32, false, ""},
		{spirv.Float64, spirv.Complex64, false, ""},
		{spirv.Float64, spirv.Float64, false, ""},
	} {
		k := made(spirv.Float64, spirv.Float64)
		if err := k.typed(made(spirv.Complex128, c.norms), "complex128"); err != nil || !k.push[0].typed || !k.push[1].typed {
			t.Errorf("%+v, %v", k.push, err)
		}
		small := made(spirv.Complex64, c.single)
		small.info.Capabilities = nil
		if err := k.typed(small, "complex64"); (err == nil) != c.good {
			t.Errorf("%v and %v: %v", c.norms, c.single, err)
		} else if c.good && k.parameter() != c.parameter {
			t.Errorf("%v: %s", c.norms, k.parameter())
		}
	}
	k := made(spirv.Float64, spirv.Float64)
	if err := k.typed(made(spirv.Float32, spirv.Float64), "float32"); err == nil || !strings.Contains(err.Error(), "in place of") {
		t.Errorf("a double in single precision: %v", err)
	}
}
