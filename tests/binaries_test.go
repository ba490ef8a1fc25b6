package tests

import (
	"bytes"
	"os/exec"
	"strconv"
	"testing"
)

// TestNoBinaryIsTracked checks that no file in git is larger than 1 MiB, because an executable was
// once committed by accident. The test needs git and a checkout.
func TestNoBinaryIsTracked(t *testing.T) {
	git := exec.Command("git", "ls-tree", "-r", "-l", "HEAD")
	git.Dir = ".."
	out, err := git.Output()
	if err != nil {
		t.Skip("this is not a checkout of git: ", err)
	}
	for line := range bytes.Lines(out) {
		// Each line describes a file of the repository: mode, type, hash and size, then a tab and
		// the name.
		fields := bytes.Fields(line)
		if len(fields) < 5 {
			t.Fatalf("git ls-tree printed %q", line)
		}
		size, err := strconv.Atoi(string(fields[3]))
		if err == nil && size > 1<<20 {
			t.Errorf("%s is tracked and has %d bytes", fields[4], size)
		}
	}
}
