package tests

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public are the packages with semantic versioning. Users may rely on their interfaces.
var public = []string{"evd", "evd/batch", "evd/cluster", "evd/gonumlapack", "evd/matio", "evd/pencil", "evd/svd", "vk"}

// TestPackagesSayWhetherTheyArePublic checks the first line of each package's documentation, which
// pkg.go.dev shows in its lists. A package without semantic versioning must say "internal to vkevd"
// in this line. Three kinds of packages are left out: packages in folders named internal, because
// Go lets no other module import them, commands, because a command cannot be imported, and packages
// below tests.
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
