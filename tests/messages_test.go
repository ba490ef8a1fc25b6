package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unseenTexts has the largest allowed number, for each folder, of texts that no test compares. The
// numbers may only fall. A folder that is not in the list may have no such text.
var unseenTexts = map[string]int{
	"cmd/vkevd": 91, "cmd/vkevd/internal/cli": 91, "cmd/vkevd/internal/doctor": 30,
	"cmd/vkevd/internal/draw": 8, "cmd/vkevd/internal/plot": 17,
	"cmd/vkevd/internal/report": 5, "cmd/vkevd/internal/trial": 41,
	"evd/accuracy": 3, "evd/bench": 5, "evd/cluster": 8, "evd/matio": 71, "evd/matio/internal/numpy": 1,
	"evd/ratio": 5, "evd/tune": 10,
	"examples/compress": 1, "examples/haldane": 4, "examples/orbitals": 6, "examples/internal/style": 1, "examples/pca": 4, "examples/ribbon": 4,
	"internal/environ": 1, "tests/cluster/initialized": 2,
	"shaders/gen": 4, "shaders/gen/bindings": 48, "shaders/gen/source": 17,
	"stages": 3, "stages/back": 1, "stages/bidiagonal": 1, "stages/chase": 4, "stages/machine": 10,
	"stages/move": 7, "stages/panel": 4, "stages/product": 3, "stages/product/emulated": 4,
	"stages/reduce": 4, "stages/residual": 5, "stages/roomtest": 6, "stages/stagetest": 6,
	"stages/tridiag": 2, "stages/tridiag/stebz": 1, "stages/tridiag/stemr": 2,
	"stages/tridiag/suite": 33, "stages/tuning": 1,
	"vk": 52, "vk/internal/driver": 11, "vk/spirv": 42,
}

// TestTextsAreCompared looks at each string with a blank in code: messages, names of phases and of
// memory. Some test must have the whole text, with its numbers, in a literal, in a golden file, or
// in the tests of C and Python. Panics are left out. So is the beginning or the end of a text if it
// is known only when the program runs.
func TestTextsAreCompared(t *testing.T) {
	var literals []string
	wanted := map[string][]string{} // by text: the places that have it
	files := token.NewFileSet()
	eachGoFile(t, func(name string) {
		in := inModule(name)
		test := strings.HasSuffix(name, "_test.go")
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field:
				return false
			case *ast.CallExpr:
				if named(n, "panic") && !test {
					return false
				}
			case ast.Expr:
				if text, ok := literal(n); ok {
					if test {
						literals = append(literals, text)
					} else if text = strings.Trim(text, "\x00:;, "); strings.Contains(text, " ") && len(text) >= 8 {
						wanted[text] = append(wanted[text], in+":"+strconv.Itoa(files.Position(n.Pos()).Line))
					}
					return false
				}
			}
			return true
		})
	})
	for _, pattern := range []string{"../*/*/testdata/*.[gc]*", "../*/testdata/*.[gc]*", "../python/tests/*.py"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			literals = append(literals, string(text))
		}
	}
	if len(wanted) < 50 || len(literals) < 1000 {
		t.Fatalf("only %d texts and %d literals of tests", len(wanted), len(literals))
	}
	unseen := map[string][]string{} // by folder: the places and the texts
	for folder := range unseenTexts {
		unseen[folder] = nil
	}
	for text, places := range wanted {
		parts := strings.Split(text, "\x00")
		longest := slices.MaxFunc(parts, func(x, y string) int { return len(x) - len(y) })
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		whole := regexp.MustCompile(strings.Join(parts, `.*?`))
		if slices.ContainsFunc(literals, func(s string) bool { return strings.Contains(s, longest) && whole.MatchString(s) }) {
			continue
		}
		for _, at := range places {
			folder := path.Dir(at)
			unseen[folder] = append(unseen[folder], fmt.Sprintf("%s: %q", at, strings.ReplaceAll(text, "\x00", "…")))
		}
	}
	for folder, texts := range unseen {
		slices.Sort(texts)
		switch most := unseenTexts[folder]; {
		case len(texts) > most:
			t.Errorf("%s: no test has %d texts, unseenTexts allows %d:\n%s", folder, len(texts), most, strings.Join(texts, "\n"))
		case most > 0 && len(texts) == 0:
			t.Errorf("tests have all texts of %s: remove it from unseenTexts", folder)
		case len(texts) < most-5:
			t.Errorf("%s: no test has %d texts: lower its number in unseenTexts", folder, len(texts))
		}
	}
}

var verbs = regexp.MustCompile(`%[-+# 0]*[\d.*]*[a-zA-Z]`)

// literal returns the text of a string literal, or of a sum of strings in which at least one is a
// literal. A zero byte takes the place of each verb such as %d, and of each string that is no
// literal.
func literal(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return verbs.ReplaceAllString(s, "\x00"), e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		x, okX := literal(e.X)
		y, okY := literal(e.Y)
		if !okX {
			x = "\x00"
		}
		if !okY {
			y = "\x00"
		}
		return x + y, e.Op == token.ADD && (okX || okY)
	}
	return "", false
}
