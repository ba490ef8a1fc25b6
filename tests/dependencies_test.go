package tests

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// ofTheLibrary lists the modules of others that the library may import: all packages of this module
// except commands and examples. The entries are the beginnings of import paths. docs/reliability.md
// promises that there are no others.
var ofTheLibrary = []string{"github.com/goki/vulkan", "github.com/vulkan-go/vulkan", "gonum.org/v1/gonum/"}

// TestLibraryDependsOnLittle checks the imports of the packages that are no commands and no
// examples.
func TestLibraryDependsOnLittle(t *testing.T) {
	seen := 0
	eachGoFile(t, func(path string) {
		name := inModule(path)
		if strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "examples/") || strings.HasSuffix(name, "_test.go") {
			return
		}
	imports:
		for _, imported := range importsOf(t, path) {
			if host, _, _ := strings.Cut(imported, "/"); !strings.Contains(host, ".") || strings.HasPrefix(imported, module) {
				continue
			}
			seen++
			for _, allowed := range ofTheLibrary {
				if strings.HasPrefix(imported+"/", allowed) {
					continue imports
				}
			}
			t.Errorf("%s imports %s", name, imported)
		}
	})
	if seen < 10 {
		t.Errorf("only %d imports of other modules seen", seen)
	}
}

func importsOf(t *testing.T, path string) (paths []string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, im := range f.Imports {
		paths = append(paths, strings.Trim(im.Path.Value, `"`))
	}
	return paths
}
