package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// typed is the test files of the module, and other files that import the package testing, with the
// types of their expressions.
type typed struct {
	fset  *token.FileSet
	tests []*ast.File
	info  *types.Info
	paths map[string]bool // the packages that the files import
}

// typedTests parses all packages that have tests, and finds the types in their test files. The
// types of imported packages are those that the compiler has stored in Go's build cache.
func typedTests(t *testing.T) *typed {
	t.Helper()
	c := newTyped()
	folders := map[string][]*ast.File{}
	tested := map[string]bool{}
	eachGoFile(t, func(name string) {
		// Test files for other systems are looked at, too.
		if matches, err := build.Default.MatchFile(filepath.Split(name)); err != nil || !matches && !strings.HasSuffix(name, "_test.go") {
			return
		}
		folder := path.Dir(inModule(name))
		before := len(c.tests)
		folders[folder] = append(folders[folder], c.parse(t, name, nil))
		tested[folder] = tested[folder] || len(c.tests) > before
	})
	for folder, files := range folders {
		for _, f := range files {
			if tested[folder] {
				c.imports(f)
			}
		}
	}
	compiled := c.compiled(t)
	for folder := range tested {
		if tested[folder] {
			c.check(module+folder, folders[folder], compiled)
		}
	}
	return c
}

func newTyped() *typed {
	return &typed{token.NewFileSet(), nil, &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}, map[string]bool{}}
}

// parse reads a file, or the text `src` if that is not nil. It adds the file to c.tests if it is a
// test file or imports package testing.
func (c *typed) parse(t *testing.T, name string, src any) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(c.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	forTests := func(im *ast.ImportSpec) bool { return im.Path.Value == `"testing"` }
	if strings.HasSuffix(name, "_test.go") || slices.ContainsFunc(f.Imports, forTests) {
		c.tests = append(c.tests, f)
	}
	return f
}

func (c *typed) imports(f *ast.File) {
	for _, im := range f.Imports {
		if name, _ := strconv.Unquote(im.Path.Value); name != "C" {
			c.paths[name] = true
		}
	}
}

// compiled returns an importer for the packages that the files import.
func (c *typed) compiled(t *testing.T) types.Importer {
	t.Helper()
	list := exec.Command("go", "list", "-e", "-export", "-f", "{{.ImportPath}} {{.Export}}")
	for name := range c.paths {
		list.Args = append(list.Args, name)
	}
	out, err := list.Output()
	if err != nil {
		t.Fatal("go list: ", err)
	}
	stored := map[string]string{}
	for line := range bytes.Lines(out) {
		name, file, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		stored[name] = file
	}
	return importer.ForCompiler(c.fset, "gc", func(name string) (io.ReadCloser, error) {
		if stored[name] == "" {
			return nil, fmt.Errorf("package %s is not compiled", name)
		}
		return os.Open(stored[name])
	})
}

// check finds the types of a folder's files. Errors are ignored: a file for another system may use
// what is not there, and then the types of some expressions are unknown.
func (c *typed) check(name string, files []*ast.File, compiled types.Importer) {
	external := func(f *ast.File) bool { return strings.HasSuffix(f.Name.Name, "_test") }
	config := types.Config{Importer: compiled, FakeImportC: true, Error: func(error) {}}
	inside := slices.DeleteFunc(slices.Clone(files), external)
	pkg, _ := config.Check(name, c.fset, inside, c.info)
	outside := slices.DeleteFunc(files, func(f *ast.File) bool { return !external(f) })
	config.Importer = importers(func(wanted string) (*types.Package, error) {
		if wanted == name {
			return pkg, nil // with what the test files of the package export
		}
		return compiled.Import(wanted)
	})
	config.Check(name+"_test", c.fset, outside, c.info)
}

type importers func(name string) (*types.Package, error)

func (i importers) Import(name string) (*types.Package, error) { return i(name) }
