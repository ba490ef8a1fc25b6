package tests

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNotices checks that tools/notices.sh prints the licences of Go and of the modules in each
// program and library that is given away. tests/newcomers checks that the wheel and an installed
// library have this text.
func TestNotices(t *testing.T) {
	library := []string{"== Go go1", "Copyright 2009 The Go Authors", "== github.com/goki/vulkan v", "The MIT License",
		"== gonum.org/v1/gonum v", "The Gonum Authors", "-- THIRD_PARTY_LICENSES/Boost-LICENSE"}
	command := append([]string{"== github.com/spf13/cobra v", "Apache License", "== gonum.org/v1/plot v",
		"SIL OPEN FONT LICENSE", "-- licenses/ftl.txt"}, library...)
	for of, want := range map[string][]string{"./cmd/vkevd": command, "./cmd/libvkevd": library, "./cmd/libvkevd_lapack": library} {
		out, err := exec.Command("sh", "../tools/notices.sh", of).Output()
		if err != nil {
			t.Fatalf("notices.sh %s: %v", of, err)
		}
		for _, text := range want {
			if !strings.Contains(string(out), text) {
				t.Errorf("the notices of %s do not contain %q", of, text)
			}
		}
	}
}
