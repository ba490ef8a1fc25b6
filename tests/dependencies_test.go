package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDependenciesAreListed compares the Go modules listed in docs/reliability.md with those in
// go.mod.
func TestDependenciesAreListed(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\s(\S+) (v\S+)`).FindAllStringSubmatch(string(mod), -1)
	if len(required) < 5 {
		t.Fatalf("only %d requirements in go.mod", len(required))
	}
	for _, r := range required {
		if line := "| " + r[1] + " | " + r[2] + " |"; !strings.Contains(string(doc), line) {
			t.Errorf("docs/reliability.md lacks %q", line)
		}
	}
}
