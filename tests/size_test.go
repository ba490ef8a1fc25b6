package tests

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// linesByHand is a maximum of the lines of Go that are written by hand and are no tests. It falls
// with them: whoever removes lines lowers it. It may rise only in a commit that names the feature
// and the lines that the feature needs. The budget from 70,000 lines on: complex Hermitian matrices
// 6,000 lines, generalized problems 4,000, everything else 2,000.
const linesByHand = 87_806

// slack is the number of lines by which linesByHand may be too high.
const slack = 300

// linesForEachModule is a maximum of the lines of generated Go in package shaders for each compiled
// kernel, that is, for each file of shaders/spv.
const linesForEachModule = 24

// filesInAFolder is a maximum of the Go files of a folder that are no tests, and fullerFolders are
// the exceptions with their numbers of files, which may only fall. Package vk is without limit.
const filesInAFolder = 40

var fullerFolders = map[string]int{}

// generated matches the line by which a generator marks its files.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestLines checks that the lines of Go are not more than linesByHand and linesForEachModule allow,
// and that linesByHand is not much too high.
func TestLines(t *testing.T) {
	byHand, ofModules := 0, 0
	eachGoFile(t, func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Count(text, []byte("\n"))
		switch {
		case generated.Match(text):
			if filepath.ToSlash(filepath.Dir(inModule(path))) == "shaders" {
				ofModules += lines
			}
		case !strings.HasSuffix(path, "_test.go"):
			byHand += lines
		}
	})
	switch {
	case byHand > linesByHand:
		t.Errorf("%d lines of Go are written by hand, and linesByHand allows %d: remove lines, or raise "+
			"the number in a commit that names the feature and its lines", byHand, linesByHand)
	case byHand < linesByHand-slack:
		t.Errorf("%d lines of Go are written by hand: lower linesByHand in tests/size_test.go to this number", byHand)
	}
	modules, err := filepath.Glob("../shaders/spv/*.spv")
	if err != nil || len(modules) < 100 {
		t.Fatalf("%d modules, %v", len(modules), err)
	}
	if ofModules > linesForEachModule*len(modules) {
		t.Errorf("%d lines of Go are generated for %d modules, more than %d for each", ofModules, len(modules), linesForEachModule)
	}
	t.Logf("%d lines by hand, %.1f generated lines for each of %d modules", byHand,
		float64(ofModules)/float64(len(modules)), len(modules))
}

// TestFoldersAreNotFull counts the files of each folder.
func TestFoldersAreNotFull(t *testing.T) {
	files := map[string]int{}
	eachGoFile(t, func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			files[filepath.ToSlash(filepath.Dir(inModule(path)))]++
		}
	})
	for folder, n := range files {
		most, exception := fullerFolders[folder]
		switch {
		case folder == "vk":
		case exception && n <= filesInAFolder:
			t.Errorf("%s has %d files: remove it from fullerFolders", folder, n)
		case exception && n < most-5:
			t.Errorf("%s has %d files: lower its number in fullerFolders", folder, n)
		case exception && n > most, !exception && n > filesInAFolder:
			t.Errorf("%s has %d files, too many for one folder", folder, n)
		}
	}
	for folder := range fullerFolders {
		if files[folder] == 0 {
			t.Errorf("fullerFolders names %s, which has no files", folder)
		}
	}
}

// TestOnlyTestsImport checks that the first line of a package's documentation says "for tests only"
// if no program needs the package and tests import it, and only then.
func TestOnlyTestsImport(t *testing.T) {
	says := map[string]bool{}
	importers := map[string]map[string]bool{} // of each package: the packages that import it, "" for tests
	eachGoFile(t, func(path string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.ToSlash(filepath.Dir(inModule(path)))
		if line, _, _ := strings.Cut(f.Doc.Text(), "\n"); strings.Contains(line, "for tests only") {
			says[folder] = true
		}
		if strings.HasSuffix(path, "_test.go") {
			folder = ""
		}
		for _, im := range f.Imports {
			name, _ := strconv.Unquote(im.Path.Value)
			if inner, ours := strings.CutPrefix(name, module); ours {
				if importers[inner] == nil {
					importers[inner] = map[string]bool{}
				}
				importers[inner][folder] = true
			}
		}
	})
	for pkg, by := range importers {
		program := "" // a package for more than tests that imports this one
		for importer := range by {
			if importer != "" && !says[importer] {
				program = importer
			}
		}
		isPublic := slices.Contains(public, pkg)
		switch {
		case says[pkg] && program != "":
			t.Errorf("package %s is for tests only, and %s imports it", pkg, program)
		case says[pkg] && isPublic:
			t.Errorf("package %s is public and for tests only", pkg)
		case !says[pkg] && program == "" && !isPublic:
			t.Errorf("only tests import package %s: say \"for tests only\" in the first line of its documentation", pkg)
		}
	}
	if len(says) < 5 {
		t.Errorf("only %d packages are for tests only", len(says))
	}
}
