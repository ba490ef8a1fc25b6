// Package tests tests the module as a whole: imports, lines, documents.
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

// rooms stands in a row of mayImport for the packages in allRooms: package stages, and its packages
// that run kernels on a device.
const rooms = "stages and its rooms"

var allRooms = []string{
	"stages", "stages/move", "stages/panel", "stages/factor", "stages/reduce", "stages/chase", "stages/back", "stages/residual", "stages/refine",
	"stages/tridiag/stebz", "stages/tridiag/stedc", "stages/tridiag/stemr", "stages/tridiag/steqr", "stages/batch",
}

// expanded replaces `rooms` in a row by the packages.
func expanded(row []string) []string {
	if i := slices.Index(row, rooms); i >= 0 {
		return slices.Concat(row[:i], allRooms, row[i+1:])
	}
	return row
}

// mayImport is the architecture of the module. For each package it lists the packages of the module
// that it may import; it may import no others. Test files may import any package of the module,
// except packages under tests (see forTests).
var mayImport = map[string][]string{
	"cmd/vkevd/internal/closed":  {},
	"cmd/vkevd/internal/draw":    {},
	"cmd/vkevd/internal/machine": {"evd", "evd/accuracy", "evd/batch", "evd/bench", "evd/pencil", "evd/probe", "evd/svd", "evd/tune", "stages", "stages/batch", "vk"},
	"cmd/vkevd/internal/cli":     {"cmd/vkevd/internal/machine", "evd", "evd/bench", "evd/cluster", "evd/matgen", "evd/matio", "evd/svd", "evd/tune", "internal/environ", "internal/ownfile", "vk"},
	"cmd/vkevd/internal/report":  {"cmd/vkevd/internal/cli", "cmd/vkevd/internal/machine", "evd", "evd/matio", "evd/pencil", "evd/ratio", "evd/svd", "vk"},
	"cmd/vkevd/internal/plot":    {"cmd/vkevd/internal/cli", "cmd/vkevd/internal/draw", "evd/accuracy", "evd/bench", "evd/svd", "vk"},
	"cmd/vkevd/internal/doctor":  {"cmd/vkevd/internal/cli", "cmd/vkevd/internal/machine", "cmd/vkevd/internal/report", "evd", "evd/matio", "vk"},
	"cmd/vkevd/internal/trial":   {"cmd/vkevd/internal/cli", "cmd/vkevd/internal/machine", "cmd/vkevd/internal/report", "evd", "evd/accuracy", "evd/bench", "evd/matgen", "evd/probe", "evd/ratio", "evd/svd", "evd/tune", "docs/data/devices", "shaders", "stages/tuning", "vk"},
	"docs/data/devices":          {},
	"examples/internal/style":    {},

	"evd/matio/internal/memory":    {},
	"evd/matio/internal/number":    {},
	"evd/matio/internal/numpy":     {"evd/matio/internal/memory", "evd/matio/internal/number"},
	"evd/matio/internal/stream":    {},
	"evd/matio/internal/transpose": {"evd/matio/internal/memory"},

	"evd/internal/plan":       {"internal/environ", "stages", "stages/chase", "stages/machine", "stages/tridiag/stedc", "stages/tridiag/stemr", "vk", "vk/spirv"},
	"evd/internal/dense":      {"evd/emulation", "evd/internal/plan", "evd/internal/precision", "evd/spectrum", "stages", "stages/back", "stages/chase", "stages/factor", "stages/machine", "stages/move", "stages/product", "stages/product/emulated", "stages/reduce", "stages/refine", "stages/residual", "stages/tridiag", "stages/tuning", "vk", "vk/spirv"},
	"evd/internal/team":       {"evd/emulation", "evd/internal/dense", "evd/internal/plan", "evd/spectrum", "stages", "stages/back", "stages/machine", "stages/product", "stages/reduce", "stages/residual", "stages/tridiag", "stages/tridiag/stedc", "vk", "vk/spirv"},
	"evd/internal/refinement": {"evd/emulation", "evd/internal/dense", "evd/internal/plan", "evd/spectrum", "stages", "stages/machine", "stages/move", "stages/product", "stages/product/moduli", "stages/refine", "stages/residual", "stages/tuning", "vk", "vk/spirv"},
	"evd/internal/plantest":   {"evd/internal/plan", "vk"},
	"evd/internal/precision":  {"evd/spectrum", "stages", "stages/move", "stages/product", "vk", "vk/spirv"},

	"cmd/libvkevd":      {"evd", "evd/batch", "evd/pencil", "evd/svd", "internal/copies", "internal/environ", "vk"},
	"cmd/vkevd":         {"cmd/vkevd/internal/cli", "cmd/vkevd/internal/closed", "cmd/vkevd/internal/doctor", "cmd/vkevd/internal/machine", "cmd/vkevd/internal/plot", "cmd/vkevd/internal/report", "cmd/vkevd/internal/trial", "evd", "evd/batch", "evd/cluster", "evd/matio", "evd/pencil", "evd/probe", "evd/ratio", "evd/svd", "stages", "stages/batch", "stages/tuning", "vk"},
	"evd":               {"evd/emulation", "evd/internal/dense", "evd/internal/plan", "evd/internal/team", "evd/internal/precision", "evd/internal/refinement", "evd/spectrum", "stages/machine", "stages/product", "stages/product/moduli", "stages/tuning", "vk", rooms},
	"evd/batch":         {"evd", "evd/internal/dense", "evd/internal/plan", "evd/internal/precision", "evd/ratio", "evd/spectrum", "stages", "stages/batch", "stages/machine", "stages/tridiag", "stages/tuning", "vk"},
	"evd/pencil":        {"evd", "evd/emulation", "evd/internal/dense", "evd/internal/plan", "evd/internal/precision", "evd/internal/refinement", "evd/spectrum", "internal/copies", "stages/factor", "stages/product", "stages/refine", "stages/tuning", "stages", "vk"},
	"evd/accuracy":      {"evd/svd", "stages/product", "stages/tuning", "vk", rooms},
	"evd/bench":         {"evd", "evd/batch", "evd/emulation", "evd/pencil", "evd/svd", "shaders", "stages/machine", "stages/product", "stages/product/emulated", "stages/tuning", "vk", rooms},
	"evd/cluster":       {"evd/matio", "stages/tridiag"},
	"evd/emulation":     {"evd/internal/plan", "stages/machine", "stages/product", "stages/product/emulated", "stages/product/moduli", "stages/tuning", "vk", "vk/spirv", rooms},
	"evd/matgen":        {"stages/tridiag"},
	"evd/matio":         {"evd/matio/internal/memory", "evd/matio/internal/number", "evd/matio/internal/numpy", "evd/matio/internal/stream", "evd/matio/internal/transpose"},
	"evd/spectrum":      {"evd/internal/plan", "stages/product", "stages/tridiag", "stages/tridiag/dc", "stages/tridiag/mrrr", "stages/tridiag/ql", "stages/tridiag/sturm", "stages/tuning", "vk", "vk/spirv", rooms},
	"evd/svd":           {"evd", "evd/emulation", "evd/internal/dense", "evd/internal/plan", "evd/internal/precision", "evd/ratio", "evd/spectrum", "stages/bidiagonal", "stages/machine", "stages/product", "stages/product/emulated", "stages/tridiag", "stages/tuning", "vk", "vk/spirv", rooms},
	"evd/tune":          {"evd", "evd/bench", "stages/batch", "stages/product", "stages/tuning", "vk"},
	"evd/probe":         {"stages/machine", "stages/product/emulated", "stages/tuning", "vk"},
	"evd/gonumlapack":   {"evd", "evd/plancache", "evd/svd", "internal/copies", "stages/tuning", "vk"},
	"evd/plancache":     {"evd", "vk"},
	"evd/ratio":         {"stages/tridiag"},
	"examples/compress": {"evd/svd", "examples/internal/style"},
	"examples/haldane":  {"evd", "examples/internal/style", "vk"},
	"examples/orbitals": {"evd", "evd/pencil", "examples/internal/style", "vk"},
	"examples/ribbon":   {"evd", "evd/batch", "examples/internal/style", "vk"},
	"examples/pca":      {"evd", "evd/matio", "examples/internal/style"},

	// The packages in allRooms, from the base up.
	"stages":               {"stages/product", "vk", "vk/spirv"},
	"stages/move":          {"shaders", "stages", "stages/product", "vk", "vk/spirv"},
	"stages/panel":         {"shaders", "stages", "stages/machine", "stages/product", "vk", "vk/spirv"},
	"stages/reduce":        {"shaders", "stages", "stages/machine", "stages/move", "stages/panel", "stages/product", "vk", "vk/spirv"},
	"stages/factor":        {"shaders", "stages", "stages/move", "stages/panel", "stages/product", "vk", "vk/spirv"},
	"stages/chase":         {"shaders", "stages", "stages/machine", "stages/move", "stages/product", "vk", "vk/spirv"},
	"stages/back":          {"shaders", "stages", "stages/chase", "stages/machine", "stages/move", "stages/panel", "stages/product", "vk", "vk/spirv"},
	"stages/residual":      {"shaders", "stages", "stages/factor", "stages/move", "stages/product", "vk", "vk/spirv"},
	"stages/refine":        {"shaders", "stages", "stages/move", "stages/product", "stages/tridiag", "vk", "vk/spirv"},
	"stages/tridiag/stebz": {"shaders", "stages", "vk", "vk/spirv"},
	"stages/tridiag/stedc": {"shaders", "stages", "stages/bidiagonal", "stages/product", "stages/tridiag", "stages/tridiag/dc", "vk", "vk/spirv"},
	"stages/tridiag/stemr": {"shaders", "stages", "stages/tridiag/dc", "stages/tridiag/mrrr", "stages/tridiag/stebz", "stages/tridiag/stedc", "vk", "vk/spirv"},
	"stages/tridiag/steqr": {"stages", "stages/bidiagonal", "stages/tridiag", "stages/tridiag/ql", "vk"},
	"stages/batch":         {"shaders", "stages", "stages/product", "stages/tridiag/stebz", "stages/tridiag/stedc", "vk", "vk/spirv"},

	// Only for tests of the packages in allRooms.
	"stages/roomtest":        {"stages", "stages/machine", "stages/product", "stages/stagetest", "vk"},
	"stages/roomtest/tables": {"vk"},

	"stages/bidiagonal": {"stages/tridiag", "stages/tridiag/dc"},

	"stages/machine":   {"shaders", "vk", "vk/spirv"},
	"stages/product":   {"shaders", "vk", "vk/spirv"},
	"stages/tuning":    {"stages/machine", "stages/product", "vk", "vk/spirv", rooms},
	"stages/stagetest": {"internal/when", "stages/ref", "vk", "vk/spirv"},

	"stages/product/moduli":   {},
	"stages/product/emulated": {"shaders", "stages/machine", "stages/product", "stages/product/moduli", "vk", "vk/spirv"},

	"cmd/libvkevd_lapack": {"evd", "evd/pencil", "evd/plancache", "evd/svd", "internal/copies", "internal/environ", "stages/tuning", "vk"},

	// Package stages/ref is for tests only. It may import constants of double-precision arithmetic
	// (such as Ulp) and a norm from stages/tridiag, and the lists of moduli from
	// stages/product/moduli. It uses no solver and no product of other packages, because tests
	// compare these with it.
	"stages/ref":           {"stages/product/moduli", "stages/tridiag"},
	"stages/tridiag":       {},
	"stages/tridiag/dc":    {"stages/tridiag"},
	"stages/tridiag/mrrr":  {"stages/tridiag", "stages/tridiag/dc"},
	"stages/tridiag/ql":    {"stages/tridiag"},
	"stages/tridiag/sturm": {"stages/tridiag"},
	"stages/tridiag/suite": {"stages/tridiag"},

	"shaders":                   {"vk/spirv"},
	"shaders/gen":               {"shaders/gen/bindings", "shaders/gen/source"},
	"shaders/gen/bindings":      {"shaders/gen/source", "vk/spirv"},
	"shaders/gen/source":        {"vk/spirv"},
	"vk":                        {"internal/environ", "internal/ownfile", "vk/internal/driver", "vk/spirv"},
	"vk/internal/driver":        {},
	"vk/internal/trials":        {},
	"vk/spirv":                  {},
	"internal/copies":           {},
	"internal/environ":          {},
	"internal/when":             {},
	"tests/cluster/initialized": {"evd/cluster"},

	"internal/ownfile": {},
	"tests/testdata":   {},
}

// forTests is a package that holds test data. It is the only package under tests that test files of
// other packages may import. Other files outside of tests must not import any package under tests.
const forTests = "tests/testdata"

// bindings are the Go bindings of Vulkan. Only driverPackage imports one of them.
var bindings = []string{"github.com/goki/vulkan", "github.com/vulkan-go/vulkan"}

const driverPackage = "vk/internal/driver"

// usesC are the packages with cgo: the calls of Vulkan, facts about the process that Go does not
// know, the libraries for C programs, and the solvers for clusters with their test program.
var usesC = []string{driverPackage, "internal/environ", "cmd/vkevd/internal/closed", "cmd/libvkevd", "cmd/libvkevd_lapack", "evd/cluster", "tests/cluster/initialized"}

func TestLayering(t *testing.T) {
	used := map[string]map[string]bool{} // packages of the module that each package imports
	eachGoFile(t, func(path string) {
		pkg := filepath.ToSlash(filepath.Dir(inModule(path)))
		if used[pkg] == nil {
			used[pkg] = map[string]bool{}
		}
		for _, inner := range checkImports(t, path) {
			used[pkg][inner] = true
		}
	})
	for pkg, allowed := range mayImport {
		if used[pkg] == nil {
			t.Errorf("package %q is in the table and nowhere else", pkg)
			continue
		}
		for _, inner := range allowed {
			if inner != rooms && !used[pkg][inner] {
				t.Errorf("the table lets %s import %s, which it does not; remove that from the row", pkg, inner)
			}
		}
	}
}

// TestNoImportCircles checks that the table mayImport has no cycles. Go refuses cycles of imports,
// but a table with a cycle would not show which package is above which.
func TestNoImportCircles(t *testing.T) {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(pkg string, way []string)
	visit = func(pkg string, way []string) {
		way = append(way, pkg)
		switch state[pkg] {
		case open:
			t.Errorf("the table allows a circle: %s", strings.Join(way, " → "))
			return
		case done:
			return
		}
		state[pkg] = open
		for _, next := range expanded(mayImport[pkg]) {
			visit(next, way)
		}
		state[pkg] = done
	}
	for pkg := range mayImport {
		visit(pkg, nil)
	}
}

// TestTestsDoNotLookUp checks that test files obey the order of the table mayImport: a test of a
// package must not import a package that is built on it, directly or through others.
func TestTestsDoNotLookUp(t *testing.T) {
	below := map[string]map[string]bool{} // of each package: all packages that it is built on
	var collect func(pkg string) map[string]bool
	collect = func(pkg string) map[string]bool {
		if below[pkg] == nil {
			below[pkg] = map[string]bool{}
			for _, next := range expanded(mayImport[pkg]) {
				below[pkg][next] = true
				for further := range collect(next) {
					below[pkg][further] = true
				}
			}
		}
		return below[pkg]
	}
	eachGoFile(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		pkg := filepath.ToSlash(filepath.Dir(inModule(path)))
		for _, im := range f.Imports {
			name, _ := strconv.Unquote(im.Path.Value)
			inner, ours := strings.CutPrefix(name, module)
			if ours && collect(inner)[pkg] {
				t.Errorf("%s imports %s, which is built on %s: move the test up", path, inner, pkg)
			}
		}
	})
}

// checkImports compares the imports of one file with the table mayImport. It returns the packages
// of the module that the file imports. For a test file it returns no packages.
func checkImports(t *testing.T, path string) (inners []string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name.Name == "main" && strings.Contains(path, "driver/gen_") {
		return nil // a generator, not part of the package
	}
	isTest := strings.HasSuffix(path, "_test.go")
	pkg := filepath.ToSlash(filepath.Dir(inModule(path)))
	row, known := mayImport[pkg]
	allowed := expanded(row)
	if !isTest && !known {
		t.Errorf("%s: package %q is not in the table", path, pkg)
	}
	for _, im := range f.Imports {
		name, _ := strconv.Unquote(im.Path.Value)
		inner, ours := strings.CutPrefix(name, module)
		if ours && !isTest {
			inners = append(inners, inner)
		}
		switch {
		case isTest && ours:
			if strings.HasPrefix(inner+"/", "tests/") && inner != forTests && !strings.HasPrefix(pkg+"/", "tests/") {
				t.Errorf("%s imports %s, which is for the tests under tests only", path, inner)
			}
		case isTest:
		case ours && !slices.Contains(allowed, inner):
			t.Errorf("%s: %s may not import %s", path, pkg, inner)
		case slices.Contains(bindings, name) && pkg != driverPackage:
			t.Errorf("%s imports %s", path, name)
		case name == "C" && !slices.Contains(usesC, pkg):
			t.Errorf("%s uses cgo", path)
		}
	}
	return inners
}

// eachGoFile calls the function `visit` with the path of each Go file of the module, relative to
// this folder.
func eachGoFile(t *testing.T, visit func(path string)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			if inModule(path) != forTests {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, ".go"):
			seen++
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 300 {
		t.Errorf("only %d files looked at", seen)
	}
}

// inModule converts a path relative to this folder to a path relative to the root of the module.
func inModule(path string) string {
	return filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
}
