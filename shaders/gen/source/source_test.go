package source

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// folder makes a temporary folder with files. The arguments are alternately the name and the
// content of a file.
func folder(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir, name string) *Source {
	t.Helper()
	s, err := Read(filepath.Join(GLSL(dir), "product", name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadHeader(t *testing.T) {
	dir := folder(t, "glsl/product/gemm.comp", "// gemm multiplies\n// matrices.\n//\n// More.\n"+
		"// variant: gemm_f64 REAL=double  WIDE\n// variant: gemm_f32\n#version 460\n// variant: not_here\n",
		"glsl/product/bare.comp", "#version 460\n// no header\n")
	s := read(t, dir, "gemm.comp")
	if want := []string{"gemm multiplies", "matrices."}; !reflect.DeepEqual(s.Doc, want) {
		t.Errorf("doc %q", s.Doc)
	}
	want := []Variant{{Name: "gemm_f64", Defines: []string{"REAL=double", "WIDE"}}, {Name: "gemm_f32", Defines: []string{}}}
	if !reflect.DeepEqual(s.Variants, want) {
		t.Errorf("variants %v", s.Variants)
	}
	only := read(t, folder(t, "glsl/product/only.comp", "// float64 only\n//\n// only counts.\n#version 460\n"), "only.comp")
	if !only.Float64 || s.Float64 || !reflect.DeepEqual(only.Doc, []string{"only counts."}) {
		t.Errorf("float64 only: %+v", only)
	}
	bare := read(t, dir, "bare.comp")
	if bare.Doc != nil || !reflect.DeepEqual(bare.Variants, []Variant{{Name: "bare"}}) {
		t.Errorf("bare: %+v", bare)
	}
}

func TestReadRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"name of a kernel": "// variant: Gemm\n",
		"form NAME=VALUE":  "// variant: gemm 1=2\n",
		"not found":        "#version 460\n#include \"nowhere.glsl\"\n",
	} {
		dir := folder(t, "glsl/product/a.comp", text)
		if _, err := Read(filepath.Join(GLSL(dir), "product", "a.comp")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %q", err, want)
		}
	}
	typed := folder(t, "glsl/product/a.comp", "// float64 only\n#include \"numerics.glsl\"\n", "glsl/common/numerics.glsl", "")
	if _, err := Read(filepath.Join(GLSL(typed), "product", "a.comp")); err == nil || !strings.Contains(err.Error(), "float64 only") {
		t.Errorf("a number type for a kernel without: %v", err)
	}
	untyped := folder(t, "glsl/product/a.comp", "// complex\n")
	if _, err := Read(filepath.Join(GLSL(untyped), "product", "a.comp")); err == nil || !strings.Contains(err.Error(), "complex") {
		t.Errorf("complex numbers in a kernel without a number type: %v", err)
	}
	unknown := folder(t, "glsl/product/a.comp", "// complex: b\n#include \"numerics.glsl\"\n", "glsl/common/numerics.glsl", "")
	if _, err := Read(filepath.Join(GLSL(unknown), "product", "a.comp")); err == nil || !strings.Contains(err.Error(), "no variant") {
		t.Errorf("complex numbers for a variant that does not exist: %v", err)
	}
	dir := folder(t, "glsl/product/a.comp", "// variant: b\n", "glsl/back/b.comp", "")
	if _, err := All(dir); err == nil || !strings.Contains(err.Error(), "declared by b and a") {
		t.Errorf("one name twice: %v", err)
	}
}

// TestHashFollowsCode checks what changes Source.Hash: the code of the source, the code of included
// files, and the first paragraph of the source's header, which is copied to generated files. Other
// comments and other files must not change the hash.
func TestHashFollowsCode(t *testing.T) {
	dir := folder(t, "glsl/product/a.comp", "// a adds.\n#include \"w.glsl\"\n#include \"x.glsl\"\n",
		"glsl/product/w.glsl", "#include \"chase/v.glsl\"\n", "glsl/chase/v.glsl", "",
		"glsl/common/x.glsl", "# include \"y.glsl\"\n", "glsl/common/y.glsl", "#include \"x.glsl\"\n", "glsl/common/z.glsl", "")
	hash := func() string { return read(t, dir, "a.comp").Hash }
	before := hash()
	for _, c := range []struct {
		file, from, to string
		changes        bool
	}{
		{"product/a.comp", "adds", "multiplies", true},
		{"product/a.comp", "\n#include", "\n\n// Not documentation.\n\n#include", false},
		{"product/w.glsl", "#include", "int w;\n#include", true},
		{"chase/v.glsl", "", "int v;", true},
		{"common/y.glsl", "", "int y;\n", true},
		{"common/y.glsl", "", "// y is not here. \n\n", false},
		{"common/z.glsl", "", "int z;\n", false},
	} {
		path := filepath.Join(GLSL(dir), c.file)
		old, _ := os.ReadFile(path)
		os.WriteFile(path, []byte(strings.Replace(string(old), c.from, c.to, 1)), 0o666)
		if (hash() != before) != c.changes {
			t.Errorf("%s: %q for %q changes the hash: %t", c.file, c.to, c.from, !c.changes)
		}
		os.WriteFile(path, old, 0o666)
	}
}

// TestConstants checks that a source lists its constants for the host, and that each listed
// constant must have a value in the same file.
func TestConstants(t *testing.T) {
	dir := folder(t,
		"glsl/chase/a.comp", "#version 460\n#pragma host LEAD MOST\n#include \"x.glsl\"\n"+
			"const uint LEAD = 2; // not 3\nconst uint X = 1, MOST = 40;\n",
		"glsl/common/x.glsl",
		"#pragma host END\nconst uint END = 0xffffffffu;\n",
		"glsl/product/b.comp", "#pragma host NONE\n// NONE = 1;\nconst uint NONE = 2 * 3;\n")
	s, err := Read(filepath.Join(GLSL(dir), "chase", "a.comp"))
	want := []Constant{
		{"chase/a.comp", "LEAD", "2"}, {"chase/a.comp", "MOST", "40"}, {"common/x.glsl", "END", "0xffffffff"},
	}
	if err != nil || !reflect.DeepEqual(s.Constants, want) {
		t.Errorf("%v, %v", s.Constants, err)
	}
	if _, err := Read(filepath.Join(GLSL(dir), "product", "b.comp")); err == nil || !strings.Contains(err.Error(), "NONE") {
		t.Errorf("a value that is no number: %v", err)
	}
}

func TestStale(t *testing.T) {
	dir := folder(t, "glsl/product/a.comp", "#version 460\n", "spv/a.spv", "words")
	s := read(t, dir, "a.comp")
	stamp := Stamp{Source: s.Hash, Compiler: "glslang 1"}
	stamp.Add("a", []byte("words"))
	written := Stamps{s.File(): stamp, "back/other.comp": {Source: "hash", Compiler: "glslang 0, tools 2"}}
	if err := os.WriteFile(StampsFile(dir), written.Text(), 0o666); err != nil {
		t.Fatal(err)
	}
	all := ReadStamps(dir)
	if !reflect.DeepEqual(all, written) {
		t.Errorf("read %v, written %v", all, written)
	}
	if err := all.Stale(dir, s, "glslang 1"); err != nil {
		t.Error(err)
	}
	if all.Stale(dir, s, "glslang 2") == nil {
		t.Error("another compiler is not noticed")
	}
	if (Stamps{}).Stale(dir, s, "glslang 1") == nil {
		t.Error("a missing stamp is not noticed")
	}
	os.WriteFile(SPVFile(dir, "a"), []byte("other"), 0o666)
	if all.Stale(dir, s, "glslang 1") == nil {
		t.Error("changed words are not noticed")
	}
	os.Remove(SPVFile(dir, "a"))
	if all.Stale(dir, s, "glslang 1") == nil {
		t.Error("missing words are not noticed")
	}
}

// TestReadStorage checks for which number types a source is compiled. If the source includes
// storage.glsl, half precision is one of them. If it includes only numerics.glsl, it is not. The
// line "complex" in the header adds the two types of complex numbers.
func TestReadStorage(t *testing.T) {
	dir := folder(t, "glsl/product/a.comp", "#include \"storage.glsl\"\n", "glsl/product/b.comp", "#include \"numerics.glsl\"\n",
		"glsl/product/c.comp", "", "glsl/product/d.comp", "// complex\n#include \"storage.glsl\"\n",
		"glsl/product/e.comp", "// complex: e\n// variant: e\n// variant: f X\n#include \"numerics.glsl\"\n", "glsl/common/storage.glsl", "#include \"numerics.glsl\"\n", "glsl/common/numerics.glsl", "")
	for name, want := range map[string][]string{"a.comp": {"a", "a_f32", "a_f16"}, "b.comp": {"b", "b_f32"}, "c.comp": {"c"},
		"d.comp": {"d", "d_f32", "d_f16", "d_c128", "d_c64"},
		"e.comp": {"e", "e_f32", "e_c128", "e_c64", "f", "f_f32"}} {
		var got []string
		for _, v := range read(t, dir, name).Compiled() {
			got = append(got, v.Name)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestCamel(t *testing.T) {
	for name, want := range map[string]string{
		"sb2st_chase": "Sb2stChase", "n": "N", "ldA": "LdA", "AB": "AB", "ld_a": "LdA", "_x__y_": "XY",
		strings.ToLower("TILE_N"): "TileN",
	} {
		if have := Camel(name); have != want {
			t.Errorf("%s: have %s, want %s", name, have, want)
		}
	}
}
