package source

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// folder lays out files, given as name and content in turn.
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
	s, err := Read(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadHeader(t *testing.T) {
	dir := folder(t, "gemm.comp", "// gemm multiplies\n// matrices.\n//\n// More.\n"+
		"// variant: gemm_f64 REAL=double  WIDE\n// variant: gemm_f32\n#version 460\n// variant: not_here\n",
		"bare.comp", "#version 460\n// no header\n")
	s := read(t, dir, "gemm.comp")
	if want := []string{"gemm multiplies", "matrices."}; !reflect.DeepEqual(s.Doc, want) {
		t.Errorf("doc %q", s.Doc)
	}
	want := []Variant{{"gemm_f64", []string{"REAL=double", "WIDE"}}, {"gemm_f32", []string{}}}
	if !reflect.DeepEqual(s.Variants, want) {
		t.Errorf("variants %q", s.Variants)
	}
	bare := read(t, dir, "bare.comp")
	if bare.Doc != nil || !reflect.DeepEqual(bare.Variants, []Variant{{Name: "bare"}}) {
		t.Errorf("bare: %+v", bare)
	}
}

func TestReadRefuses(t *testing.T) {
	for want, text := range map[string]string{
		"kernel name": "// variant: Gemm\n",
		"NAME=VALUE":  "// variant: gemm 1=2\n",
		"not found":   "#version 460\n#include \"nowhere.glsl\"\n",
	} {
		dir := folder(t, "a.comp", text)
		if _, err := Read(filepath.Join(dir, "a.comp")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %q", err, want)
		}
	}
	dir := folder(t, "a.comp", "// variant: b\n", "b.comp", "")
	if _, err := All(dir); err == nil || !strings.Contains(err.Error(), "declared by a and b") {
		t.Errorf("one name twice: %v", err)
	}
}

// A change anywhere among the included files changes the hash; one elsewhere does not.
func TestHashFollowsIncludes(t *testing.T) {
	dir := folder(t, "a.comp", "#include \"x.glsl\"\n", "common/x.glsl", "# include \"y.glsl\"\n",
		"common/y.glsl", "#include \"x.glsl\"\n", "common/z.glsl", "")
	hash := func() string { return read(t, dir, "a.comp").Hash }
	before := hash()
	for file, changes := range map[string]bool{"common/y.glsl": true, "common/z.glsl": false} {
		path := filepath.Join(dir, file)
		old, _ := os.ReadFile(path)
		os.WriteFile(path, append(old, '\n'), 0o666)
		if (hash() != before) != changes {
			t.Errorf("%s: changes the hash: %t", file, !changes)
		}
		os.WriteFile(path, old, 0o666)
	}
}

func TestStale(t *testing.T) {
	dir := folder(t, "a.comp", "#version 460\n", "spv/a.spv", "words")
	s := read(t, dir, "a.comp")
	stamp := Stamp{Source: s.Hash, Compiler: "glslang 1"}
	stamp.Add("a", []byte("words"))
	text := "// Code generated. DO NOT EDIT.\n//\n" + stamp.String() + "\npackage shaders\n\n// source  not this\n"
	if err := os.WriteFile(GoFile(dir, "a"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Stale(dir, s, "glslang 1"); err != nil {
		t.Error(err)
	}
	if Stale(dir, s, "glslang 2") == nil {
		t.Error("another compiler is not noticed")
	}
	os.WriteFile(SPVFile(dir, "a"), []byte("other"), 0o666)
	if Stale(dir, s, "glslang 1") == nil {
		t.Error("changed words are not noticed")
	}
	os.Remove(SPVFile(dir, "a"))
	if Stale(dir, s, "glslang 1") == nil {
		t.Error("missing words are not noticed")
	}
}
