package matio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/tests/testdata"
)

// TestGrammarIsDocumented compares the table `grammar` with the one in docs/formats.md.
func TestGrammarIsDocumented(t *testing.T) {
	root := testdata.Repository()
	if root == "" {
		t.Skip("no go.mod above: the package stands alone")
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| first line |")
	var lines []string
	for _, line := range strings.Split(table, "\n")[2:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		lines = append(lines, strings.Join(cells, " | "))
	}
	if len(lines) != len(grammar) {
		t.Fatalf("%d lines are documented, the grammar has %d", len(lines), len(grammar))
	}
	for k, g := range grammar {
		shorter := ""
		if g.shorter {
			shorter = "yes"
		}
		var readings []string
		for _, r := range g.readings {
			readings = append(readings, r.String())
		}
		want := strings.Join([]string{headTexts[g.head], nameTexts[g.names], shorter, g.text, strings.Join(readings, "; ")}, " | ")
		if lines[k] != want {
			t.Errorf("docs/formats.md has\n%s\nthe grammar\n%s", lines[k], want)
		}
	}
}
