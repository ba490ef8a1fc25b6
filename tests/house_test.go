package tests

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These are limits for the length of a file. A new reader should be able to read a file without
// interruption. Generated files do not count.
const (
	mostLines   = 400 // of any Go file
	medianLines = 110 // of all Go files
)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestFileLengths(t *testing.T) {
	var lengths []int
	eachGoFile(t, func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if generated.Match(text) {
			return
		}
		lines := bytes.Count(text, []byte("\n"))
		lengths = append(lengths, lines)
		if lines > mostLines {
			t.Errorf("%s has %d lines, more than %d; split it by topic", path, lines, mostLines)
		}
	})
	slices.Sort(lengths)
	if median := lengths[len(lengths)/2]; median > medianLines {
		t.Errorf("the median of %d files is %d lines, more than %d", len(lengths), median, medianLines)
	}
}

// public are the packages with semantic versioning. Users may rely on their interfaces.
var public = []string{"evd", "evd/batch", "evd/cluster", "evd/gonumlapack", "evd/matio", "evd/svd", "vk"}

// TestPackagesSayWhetherTheyArePublic checks the first line of each package's documentation, which
// pkg.go.dev shows in its lists. A package without semantic versioning must say "internal to vkevd"
// in this line. Two kinds of packages are left out: packages in folders named internal, because Go
// lets no other module import them, and commands, because a command cannot be imported.
func TestPackagesSayWhetherTheyArePublic(t *testing.T) {
	said := map[string]bool{} // by folder: the first line says "internal to vkevd"
	eachGoFile(t, func(path string) {
		folder := filepath.ToSlash(filepath.Dir(inModule(path)))
		if strings.HasSuffix(path, "_test.go") || strings.Contains("/"+folder+"/", "/internal/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name.Name == "main" || strings.HasPrefix(folder, "tests/") {
			return
		}
		line, _, _ := strings.Cut(f.Doc.Text(), "\n")
		said[folder] = said[folder] || strings.HasPrefix(line, "Package "+f.Name.Name+", internal to vkevd,")
	})
	for folder, internal := range said {
		if isPublic := slices.Contains(public, folder); isPublic && internal {
			t.Errorf("package %s is public, and says that it is not", folder)
		} else if !isPublic && !internal {
			t.Errorf(`package %s: its documentation must begin "Package NAME, internal to vkevd, …"`, folder)
		}
	}
	if len(said) < 8 {
		t.Errorf("only %d packages looked at", len(said))
	}
}
