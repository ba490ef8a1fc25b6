package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// documents returns the files that the tests of documents (TestDocuments…) read. Names are relative
// to the root of the module.
func documents(t *testing.T) []string {
	return append(pages(t), "examples/README.md", "examples/pca/PROVENANCE.md", "python/README.md",
		"tests/newcomers/README.md", "tests/testdata/matrices/PROVENANCE.md", ".github/pull_request_template.md",
		".github/ISSUE_TEMPLATE/defect.md", ".github/ISSUE_TEMPLATE/device.md", ".github/ISSUE_TEMPLATE/wish.md")
}

const (
	widestLine = 100 // characters of a line of prose
	widestCell = 200 // characters of a table's cell
)

func TestDocumentsAreReadable(t *testing.T) {
	for _, name := range documents(t) {
		inCode := false
		for i, line := range strings.Split(byHand(t, name), "\n") {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			if strings.HasPrefix(line, "|") {
				for _, cell := range strings.Split(line, "|") {
					if n := utf8.RuneCountInString(strings.TrimSpace(cell)); n > widestCell {
						t.Errorf("%s:%d: a table's cell has %d characters, more than %d", name, i+1, n, widestCell)
					}
				}
				continue
			}
			isCode := inCode || strings.HasPrefix(line, "    ")
			if n := utf8.RuneCountInString(line); n > widestLine && !isCode && strings.Contains(line, " ") {
				t.Errorf("%s:%d: %d characters, more than %d", name, i+1, n, widestLine)
			}
		}
	}
}

// TestDocumentsNameTests checks that the tests named in documents exist. A name that ends in …
// stands for all names with the same beginning.
func TestDocumentsNameTests(t *testing.T) {
	var code strings.Builder
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			code.WriteString(read(t, inModule(path)))
		}
	})
	named := regexp.MustCompile(`\b(Test|Fuzz|Benchmark)[A-Z]\w*…?`)
	seen := 0
	for _, name := range documents(t) {
		for _, test := range named.FindAllString(read(t, name), -1) {
			seen++
			declared := "func " + strings.TrimSuffix(test, "…")
			if !strings.HasSuffix(test, "…") {
				declared += "("
			}
			if !strings.Contains(code.String(), declared) {
				t.Errorf("%s names %s, which is not there", name, test)
			}
		}
	}
	if seen < 40 {
		t.Errorf("the documents name only %d tests", seen)
	}
}

// TestDocumentsLink checks that the targets of links between documents exist.
func TestDocumentsLink(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	fenced := regexp.MustCompile("(?ms)^```.*?^```$")
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, name), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target := filepath.Join("..", filepath.Dir(name), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: a link leads nowhere: %s", name, m[1])
			}
		}
	}
}

// TestDocumentsNamePaths checks that the files and folders exist whose names documents write in
// `backquotes`.
func TestDocumentsNamePaths(t *testing.T) {
	path := regexp.MustCompile("`((?:cmd|docs|evd|examples|shaders|stages|tests|tools|vk)(?:/[a-z0-9_.]+)+)`")
	for _, name := range documents(t) {
		for _, m := range path.FindAllStringSubmatch(read(t, name), -1) {
			if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

// TestMakefilePatterns checks that each pattern of test names in the Makefile matches a test. If a
// test is renamed and the pattern is not, the pattern has no effect, and go test says nothing.
func TestMakefilePatterns(t *testing.T) {
	tests := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)
	var names []string
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range tests.FindAllStringSubmatch(read(t, inModule(path)), -1) {
				names = append(names, m[1])
			}
		}
	})
	patterns := regexp.MustCompile(`(?m)(?:^INEXACT_\w+ *= |-run '?)([A-Z][\w|]*)`).FindAllStringSubmatch(read(t, "Makefile"), -1)
	if len(patterns) < 5 {
		t.Fatalf("only %d patterns in the Makefile", len(patterns))
	}
	for _, p := range patterns {
		for _, word := range strings.Split(p[1], "|") {
			if !slices.ContainsFunc(names, regexp.MustCompile(word).MatchString) {
				t.Errorf("the Makefile's pattern %q matches no test", word)
			}
		}
	}
}

// TestDocumentsNameVariables checks that the code reads the environment variables that the
// documents name.
func TestDocumentsNameVariables(t *testing.T) {
	var code strings.Builder
	eachGoFile(t, func(path string) {
		if !strings.HasPrefix(inModule(path), "tests/docs_test.go") {
			code.WriteString(read(t, inModule(path)))
		}
	})
	for _, other := range []string{
		"python/vkevd/_library.py", "cmd/libvkevd_lapack/shim/next.c", "cmd/libvkevd_lapack/shim/settings.c",
	} {
		code.WriteString(read(t, other))
	}
	variable := regexp.MustCompile(`\bVKEVD_[A-Z_]+\b`)
	for _, name := range documents(t) {
		all := variable.FindAllString(read(t, name), -1)
		slices.Sort(all)
		for _, v := range slices.Compact(all) {
			if !strings.Contains(code.String(), `"`+v+`"`) {
				t.Errorf("%s names %s, which nothing reads", name, v)
			}
		}
	}
}

// TestReadmeListsVariables checks that the README lists every environment variable that the command
// and the library read.
func TestReadmeListsVariables(t *testing.T) {
	readme := read(t, "README.md")
	variable := regexp.MustCompile(`"(VKEVD_[A-Z_]+)"`)
	eachGoFile(t, func(path string) {
		name := inModule(path)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "tests/") || strings.HasPrefix(name, "internal/when/") || strings.HasPrefix(name, "stages/stagetest/") || strings.HasPrefix(name, "stages/roomtest/") {
			return
		}
		for _, m := range variable.FindAllStringSubmatch(read(t, name), -1) {
			if !strings.Contains(readme, "`"+m[1]+"`") {
				t.Errorf("%s reads %s, which README.md does not name", name, m[1])
			}
		}
	})
}

// read returns the content of a file of the module.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
