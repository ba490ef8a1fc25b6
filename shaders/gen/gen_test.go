package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders/gen/source"
)

func TestRemoveOrphans(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"z_kept.go", "z_structs.go", "z_gone.go", "shaders.go", "spv/kept_f32.spv", "spv/gone.spv"} {
		if err := write(filepath.Join(dir, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	kept := &source.Source{Name: "kept", Variants: []source.Variant{{Name: "kept_f32"}}}
	files := map[string][]byte{"z_kept.go": nil, "z_structs.go": nil}
	stamps := source.Stamps{kept.File(): {Source: "a"}, "product/gone.comp": {Source: "b"}}
	if err := removeOrphans(dir, stamps, []*source.Source{kept}, files); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"z_kept.go": true, "z_structs.go": true, "z_gone.go": false, "shaders.go": true, "spv/kept_f32.spv": true, "spv/gone.spv": false,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: kept %t, want %t", name, err == nil, want)
		}
	}
}

// TestUnknownNames checks that the program refuses a name that no source and no header has, before it
// compiles the others.
func TestUnknownNames(t *testing.T) {
	root, err := source.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nosuch", "reflector.comp", ""} {
		err := run(root, false, []string{"reflector", name})
		if want := fmt.Sprintf("no source and no header is called %q", name); err == nil || err.Error() != want {
			t.Errorf("%q: have %v, want %q", name, err, want)
		}
	}
}

// TestTraps compiles one kernel for each mistake with complex numbers that the compiler does not
// see. The generator must refuse each of them, for both types of complex numbers, and accept the
// variant `sound`, which has no mistake.
func TestTraps(t *testing.T) {
	when.Skip(t, when.Quick, "it compiles a kernel for each trap")
	root, err := source.Root()
	if err != nil {
		t.Fatal(err)
	}
	if !source.CompilerAvailable(root) {
		t.Skip("the pinned compiler is not here (tools/glslc.sh --fetch gets it)")
	}
	dir := t.TempDir()
	glsl := source.GLSL(filepath.Join(dir, "shaders"))
	for to, from := range map[string]string{"common": filepath.Join(source.GLSL(filepath.Join(root, "shaders")), "common"), "product": "testdata"} {
		if err := os.CopyFS(filepath.Join(glsl, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "tools"), filepath.Join(dir, "tools")); err != nil {
		t.Fatal(err)
	}
	s, err := source.Read(filepath.Join(glsl, "product", "traps.comp"))
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{
		"scalar": "both parts", "doubled": "both parts", "dropped": "part", "part": "part", "indexed": "part", "member": "part", "selected": "selected alone", "misaligned": "aligned to 4 bytes",
	}
	for _, v := range s.Variants {
		want := rules[v.Name]
		if want == "" {
			want = "treats a complex number as a vector"
		}
		for _, n := range s.Others(v) {
			if !n.Complex() {
				continue // most of these expressions are right for real numbers
			}
			_, err := source.Compile(dir, s, v.For(n))
			switch {
			case v.Name == "sound" && err != nil:
				t.Errorf("%s: %v", n.Go, err)
			case v.Name != "sound" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s for %s: have %v, want an error with %q", v.Name, n.Go, err, want)
			}
		}
	}
}
