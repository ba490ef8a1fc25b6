package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

// TestTree runs vkevd solve with MRRR. The summary and the report must have the counters of MRRR.
// With other methods they must have no such counters.
func TestTree(t *testing.T) {
	s := newFixture(t)
	s.file("T.dat", "3\n1 2 1\n2 2 0\n3 5 0\n")
	for solver, want := range map[string]*evd.Tree{"mrrr": {Blocks: 2, Depth: 1}, "dc": nil} {
		_, stderr, status := s.real("solve", "--tridiagonal", "--vectors", "--solver", solver, "--report", "r.json", "T.dat")
		said := strings.Contains(stderr, "\nMRRR     blocks 2, levels 1, clusters 0, retries 0, vectors by divide and conquer 0\n")
		if status != cli.StatusSuccess || said != (want != nil) {
			t.Errorf("%s: status %d\n%s", solver, status, stderr)
		}
		var r struct{ Tree *evd.Tree }
		text, err := os.ReadFile("r.json")
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil || (r.Tree != nil) != (want != nil) || want != nil && *r.Tree != *want {
			t.Errorf("%s: %v, %s", solver, err, text)
		}
		if want != nil && !strings.Contains(string(text), `"fallback": 0`) {
			t.Errorf("%s: %s", solver, text)
		}
	}
}
