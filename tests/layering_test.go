// Package tests holds what concerns the module as a whole.
package tests

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/vkevd/vkevd/"

// mayImport is the architecture: a package may import these packages of the
// module and no others. Tests are free.
var mayImport = map[string][]string{
	"cmd/vkevd":          {"evd", "evd/bench", "evd/matgen", "evd/matio", "evd/probe", "evd/ratio", "evd/tune", "vk"},
	"evd":                {"stages", "vk"},
	"evd/bench":          {"evd", "stages", "shaders", "vk", "vk/spirv"},
	"evd/matgen":         {},
	"evd/matio":          {},
	"evd/tune":           {"evd", "evd/bench", "stages", "vk"},
	"evd/probe":          {"shaders", "stages", "vk"},
	"evd/gonumlapack":    {"evd", "vk"},
	"evd/ratio":          {},
	"examples/graphene":  {"evd"},
	"examples/karate":    {"evd", "evd/matio"},
	"examples/many":      {"evd", "vk"},
	"examples/pca":       {"evd", "evd/matio"},
	"stages":             {"stages/ref", "shaders", "vk", "vk/spirv"},
	"stages/ref":         {},
	"shaders":            {"vk/spirv"},
	"shaders/gen":        {"shaders/gen/source", "vk/spirv"},
	"shaders/gen/source": {"vk/spirv"},
	"vk":                 {"vk/internal/driver", "vk/spirv"},
	"vk/internal/driver": {},
	"vk/internal/trials": {},
	"vk/spirv":           {},
	"tests/testdata":     {},
}

// bindings may be imported by the driver room only.
var bindings = []string{"github.com/goki/vulkan", "github.com/vulkan-go/vulkan"}

func TestLayering(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		return checkFile(t, path)
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d files looked at", seen)
	}
}

func checkFile(t *testing.T, path string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	if f.Name.Name == "main" && strings.Contains(path, "driver/gen_") {
		return nil // a generator, not part of the package
	}
	pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
	allowed, known := mayImport[pkg]
	if !known {
		t.Errorf("%s: package %q is not in the table", path, pkg)
	}
	for _, im := range f.Imports {
		name, _ := strconv.Unquote(im.Path.Value)
		if slices.Contains(bindings, name) && pkg != "vk/internal/driver" {
			t.Errorf("%s imports %s", path, name)
		}
		if inner, ours := strings.CutPrefix(name, module); ours && !slices.Contains(allowed, inner) {
			t.Errorf("%s: %s may not import %s", path, pkg, inner)
		}
		if name == "C" && pkg != "vk/internal/driver" {
			t.Errorf("%s uses cgo", path)
		}
	}
	return nil
}
