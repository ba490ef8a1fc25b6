package main

import (
	"os"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// TestVersionTellsTheCommit checks which version the command prints. It must be the one that the Go
// tool recorded. If the program was built without git, as in the container image, the version must
// have the commit that the build has set.
func TestVersionTellsTheCommit(t *testing.T) {
	for _, c := range []struct{ recorded, commit, want string }{
		{"v1.2.3", "", "v1.2.3"}, {"v1.2.3", "abc", "v1.2.3"}, {"v0.0.0-20261128-0123456789ab+dirty", "abc", "v0.0.0-20261128-0123456789ab+dirty"},
		{"(devel)", "abc", "abc"}, {"", "abc", "abc"}, {"(devel)", "", "(devel)"}, {"", "", "(unknown)"},
	} {
		if got := cli.SourceVersion(c.recorded, c.commit); got != c.want {
			t.Errorf("%q, commit %q: %q, want %q", c.recorded, c.commit, got, c.want)
		}
	}
	before := cli.BuiltFrom
	defer func() { cli.BuiltFrom = before }()
	cli.BuiltFrom = "0123abcd"
	if v := cli.Version(); !strings.Contains(v, " 0123abcd ") {
		t.Errorf("the version is %q", v)
	}
	// The linker ignores a flag -X that names no variable, so the name is compared here.
	image, err := os.ReadFile("../../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(image), "-X main.commit=$COMMIT") || !strings.Contains(string(image), "\nARG COMMIT=") {
		t.Error("the Containerfile does not set main.commit")
	}
}
