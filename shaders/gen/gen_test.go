package main

import (
	"os"
	"path/filepath"
	"testing"

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
