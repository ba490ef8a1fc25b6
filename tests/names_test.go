package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCommentsNameWhatExists looks at the names in the comments of Go files. If a comment names
// package.Name, and the package is one of this module, then the package must declare Name: an
// exported function, type, variable or constant. In files where `package` is a variable or a field,
// such names are not looked at. If a comment names a test, the module must have it. A name that
// ends in "-" or "…" stands for all tests that begin with it.
func TestCommentsNameWhatExists(t *testing.T) {
	n := newCommented()
	eachGoFile(t, func(file string) {
		n.add(t, inModule(file), read(t, inModule(file)))
	})
	wrong, looked := n.wrong()
	for _, what := range wrong {
		t.Error(what)
	}
	if looked < 200 {
		t.Errorf("only %d names looked at", looked)
	}
}

// TestWhichNamesExist tests the rules of TestCommentsNameWhatExists.
func TestWhichNamesExist(t *testing.T) {
	for comment, right := range map[string]bool{
		"room.Open":              true,
		"room.Open.Door, x":      true,
		"room.Shut":              false,
		"room.test":              true, // not exported
		"other.Open":             true, // no package of the module
		"field.Open":             true, // of an argument
		"file room.Open, a/room": true,
		"TestOpen":               true,
		"TestShut":               false,
		"TestOp- and TestOp…":    true,
		"TestSh-":                false,
		"ATestShut, Testing":     true,
	} {
		n := newCommented()
		n.add(t, "a/room/a.go", "package room\nfunc Open() {}")
		n.add(t, "a/field/a.go", "package field")
		n.add(t, "a/room/a_test.go", "package room\nfunc TestOpen() {}")
		n.add(t, "b/b.go", "package b\n\n// F, as "+comment+", is F.\nfunc F(field int) {}")
		if wrong, _ := n.wrong(); (len(wrong) == 0) != right {
			t.Errorf("%s: found %q", comment, wrong)
		}
	}
	n := newCommented()
	n.add(t, "a/room/a.go", "package room\nfunc Open() {}")
	n.add(t, "b/room/b.go", "package room\nfunc Shut() {}")
	n.add(t, "c/c.go", "package c\nimport \""+module+"b/room\"\n// room.Open\nvar _ = room.Shut")
	n.add(t, "d/d.go", "package d\nimport \"x/room\"\n// room.Lock\nvar _ = room.Lock")
	if wrong, _ := n.wrong(); len(wrong) != 1 {
		t.Errorf("of two packages room, one imported: found %q", wrong)
	}
}

// commented is the names that the packages declare, and the files whose comments use them.
type commented struct {
	set      *token.FileSet
	files    []*ast.File
	folders  map[string][]string        // of the packages with this name
	declared map[string]map[string]bool // by folder
	tests    map[string]bool
}

func newCommented() *commented {
	return &commented{token.NewFileSet(), nil, map[string][]string{}, map[string]map[string]bool{}, map[string]bool{}}
}

func (n *commented) add(t *testing.T, name, text string) {
	t.Helper()
	f, err := parser.ParseFile(n.set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n.files = append(n.files, f)
	folder := filepath.ToSlash(filepath.Dir(name))
	if n.declared[folder] == nil {
		n.declared[folder] = map[string]bool{}
		if p := strings.TrimSuffix(f.Name.Name, "_test"); p != "main" {
			n.folders[p] = append(n.folders[p], folder)
		}
	}
	names := n.declared[folder]
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
				n.tests[d.Name.Name] = n.tests[d.Name.Name] || strings.HasSuffix(name, "_test.go")
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names[id.Name] = true
					}
				}
			}
		}
	}
}

var (
	qualified = regexp.MustCompile(`(?:^|[^\w./])([a-z]\w*)\.([A-Z]\w*)`)
	testName  = regexp.MustCompile(`\bTest[A-Z]\w*[-…]?`)
)

// wrong returns the names in comments that do not exist, and the number of names looked at.
func (n *commented) wrong() (found []string, looked int) {
	for _, f := range n.files {
		imported := map[string]string{} // the path, by the name of the package in this file
		for _, im := range f.Imports {
			p, _ := strconv.Unquote(im.Path.Value)
			name := path.Base(p)
			if im.Name != nil {
				name = im.Name.Name
			}
			imported[name] = p
		}
		used := map[string]bool{}
		for _, d := range f.Decls {
			ast.Inspect(d, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok {
					used[id.Name] = true
				}
				return true
			})
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				at := func(name string) string { return n.set.Position(c.Pos()).String() + ": there is no " + name }
				for _, m := range qualified.FindAllStringSubmatch(c.Text, -1) {
					folders := n.folders[m[1]]
					if p, is := imported[m[1]]; is {
						folders = []string{strings.TrimPrefix(p, module)}
					} else if used[m[1]] {
						continue // a variable or a field
					}
					if len(folders) == 0 || n.declared[folders[0]] == nil {
						continue
					}
					looked++
					exists := false
					for _, folder := range folders {
						exists = exists || n.declared[folder][m[2]]
					}
					if !exists {
						found = append(found, at(m[1]+"."+m[2]))
					}
				}
				for _, name := range testName.FindAllString(c.Text, -1) {
					looked++
					exists := n.tests[name]
					if prefix := strings.TrimRight(name, "-…"); prefix != name {
						for test := range n.tests {
							exists = exists || strings.HasPrefix(test, prefix)
						}
					}
					if !exists {
						found = append(found, at(name))
					}
				}
			}
		}
	}
	return found, looked
}
