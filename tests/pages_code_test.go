package tests

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/shaders"
)

// packageTable lists all packages with the first sentences of their documentation.
func packageTable(t *testing.T) string {
	said := map[string]string{}
	eachGoFile(t, func(path string) {
		folder := filepath.ToSlash(filepath.Dir(inModule(path)))
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		onlyTests := strings.HasSuffix(path, "_test.go") && folder != "tests" && !strings.HasPrefix(folder, "tests/")
		if f.Doc == nil || onlyTests || strings.HasSuffix(f.Name.Name, "_test") || said[folder] != "" {
			return
		}
		s := strings.TrimPrefix(new(doc.Package).Synopsis(f.Doc.Text()), "Package "+f.Name.Name)
		said[folder] = strings.Trim(strings.TrimPrefix(s, ", internal to vkevd,"), " .,:")
	})
	var rows [][]string
	for _, folder := range slices.Sorted(maps.Keys(said)) {
		rows = append(rows, []string{"`" + folder + "`", said[folder]})
	}
	return markdown([]string{"folder", "what it is"}, rows)
}

// deviceTable lists the files of docs/data/devices, which TestDeviceFiles of cmd/vkevd checks.
func deviceTable(t *testing.T) string {
	files, err := filepath.Glob("../docs/data/devices/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var rows [][]string
	for _, file := range files {
		var s struct {
			Time    time.Time
			Kernels string
			Device  struct {
				Name    string
				Version string `json:"driver_version"`
			}
			Rates  struct{ FP64, FP32 float64 }
			Solves []struct {
				N                                int
				Seconds, Residual, Orthogonality float64
			}
		}
		readJSON(t, inModule(file), &s)
		solves, worst := []string{}, 0.0
		for _, v := range s.Solves {
			solves = append(solves, fmt.Sprintf("n = %d: %s", v.N, digits(v.Seconds)))
			worst = max(worst, v.Residual, v.Orthogonality)
		}
		when := s.Time.Format(time.DateOnly)
		if !strings.HasPrefix(shaders.Fingerprint(), s.Kernels) {
			when += ", old"
		}
		rows = append(rows, []string{s.Device.Name, s.Device.Version, digits(s.Rates.FP64 / 1e12), digits(s.Rates.FP32 / 1e12),
			strings.Join(solves, "; "), digits(worst), when})
	}
	return markdown([]string{"device", "driver", "FP64", "FP32", "solve, s", "worst ratio", "measured"}, rows)
}

// kernelTable lists, for each kernel, its source, the packages that run it, and the names of the
// nearest tests (see the function nearest). If there are more than four such tests, only the files
// of the others are listed.
func kernelTable(t *testing.T) string {
	var sources []goFile
	eachGoFile(t, func(path string) {
		if name := inModule(path); !strings.HasPrefix(name, "shaders/") {
			sources = append(sources, parsed(t, path))
		}
	})
	glsl, source := map[string]string{}, "" // by kernel
	for line := range strings.Lines(read(t, "shaders/spv/stamps.txt")) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "source" {
			source = "`" + f[2] + "`"
		} else if len(f) == 3 && f[0] == "spv" {
			glsl[f[2]] = source
		}
	}
	declared := regexp.MustCompile(`(?m)^func (\w+)(?:\[.*?\])?\(\) spirv\.Module.*\n\treturn .*?\("(\w+)"`)
	kernels := map[string]string{} // by function
	files, _ := filepath.Glob("../shaders/z_*.go")
	for _, file := range files {
		for _, m := range declared.FindAllStringSubmatch(read(t, inModule(file)), -1) {
			kernels[m[1]] = m[2]
		}
	}
	var rows [][]string
	for _, function := range slices.SortedFunc(maps.Keys(kernels), func(a, b string) int { return strings.Compare(kernels[a], kernels[b]) }) {
		var where []string
		running := map[string]bool{} // files
		for _, f := range sources {
			if !f.isTest && f.uses["shaders."+function] {
				where, running[f.name] = append(where, "`"+f.folder+"`"), true
			}
		}
		tests := nearest(sources, running)
		if len(where) == 0 {
			tests = reaching(sources, map[string]bool{"shaders." + function: true})
		}
		if len(tests) == 0 {
			t.Errorf("no test runs the kernel %s", kernels[function])
		}
		const most = 4
		var shown, others []string
		for i, test := range tests {
			name, file, _ := strings.Cut(test, " ")
			if folder := filepath.ToSlash(filepath.Dir(file)); slices.Contains(where, "`"+folder+"`") {
				file = filepath.Base(file)
			}
			if i < most {
				shown = append(shown, name)
			} else {
				others = append(others, "`"+file+"`")
			}
		}
		cell := strings.Join(shown, ", ")
		if slices.Sort(others); len(others) > 0 {
			cell += "; others in " + strings.Join(slices.Compact(others), ", ")
		}
		rows = append(rows, []string{kernels[function], glsl[kernels[function]], strings.Join(slices.Compact(where), ", "), cell})
	}
	if len(rows) < 80 {
		t.Errorf("only %d kernels", len(rows))
	}
	return markdown([]string{"kernel", "source", "runs in", "nearest tests"}, rows)
}

// nearest returns tests of functions in the given files: the tests that call such a function and
// are in a folder of these files. If there are fewer than two, `nearest` adds the files that call
// such a function, and searches again, up to six times. At first it adds only files in the same
// folders, and later files in all folders.
func nearest(sources []goFile, files map[string]bool) (tests []string) {
	const few = 2
	for round := range 6 {
		names, folders := map[string]bool{}, map[string]bool{}
		for _, f := range sources {
			if files[f.name] {
				folders[f.folder] = true
				for function := range f.functions {
					names[function] = true
				}
			}
		}
		var beside []goFile
		more := maps.Clone(files)
		for _, f := range sources {
			switch {
			case f.isTest && folders[f.folder]:
				beside = append(beside, f)
			case !f.isTest && (folders[f.folder] || round > 2) && overlap(f.uses, names):
				more[f.name] = true
			}
		}
		if tests = reaching(beside, names); len(tests) >= few {
			break
		}
		files = more
	}
	return tests
}

// reaching returns the tests that use one of the names, directly or through other functions in the
// test files. Each result is the name of a test, a space, and the test's file. Long tests come
// last, and so do tests of devices that run nothing.
func reaching(files []goFile, names map[string]bool) (tests []string) {
	var last []string
	reached := maps.Clone(names)
	for size := 0; size < len(reached); {
		size = len(reached)
		for _, f := range files {
			for function, used := range f.functions {
				if !f.isTest || reached[function] || function == "TestMain" || !overlap(used, reached) {
					continue
				}
				reached[function] = true
				if !strings.HasPrefix(function, "Test") {
					continue
				}
				if used["when.Long"] || used["vk.Dry"] {
					last = append(last, function+" "+f.name)
				} else {
					tests = append(tests, function+" "+f.name)
				}
			}
		}
	}
	slices.Sort(tests)
	slices.Sort(last)
	return append(tests, last...)
}

func overlap(a, b map[string]bool) bool {
	for name := range b {
		if a[name] {
			return true
		}
	}
	return false
}

// goFile is what one file uses: names, and names of other packages as package.Name.
type goFile struct {
	folder, name string
	isTest       bool
	uses         map[string]bool

	// functions has the names that each function uses. Methods are left out unless their names
	// begin with New. In test files no method is left out: `functions` has the names that the
	// methods of a type use under the name of the type.
	functions map[string]map[string]bool
}

func parsed(t *testing.T, path string) goFile {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	name := inModule(path)
	g := goFile{filepath.ToSlash(filepath.Dir(name)), name, strings.HasSuffix(name, "_test.go"), map[string]bool{}, map[string]map[string]bool{}}
	for _, d := range f.Decls {
		used := map[string]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					used[x.Name+"."+n.Sel.Name] = true
				}
			case *ast.Ident:
				used[n.Name] = true
			}
			return true
		})
		maps.Copy(g.uses, used)
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil && !g.isTest && !strings.HasPrefix(fn.Name.Name, "New") {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil && g.isTest {
			name = receiver(fn)
		}
		delete(used, name)
		if g.functions[name] == nil {
			g.functions[name] = used
		}
		maps.Copy(g.functions[name], used)
	}
	return g
}

func receiver(method *ast.FuncDecl) (name string) {
	ast.Inspect(method.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}
