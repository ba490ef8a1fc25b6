package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// otherReaders are the folders that may read environment variables by package os: internal/environ,
// and packages for tests.
var otherReaders = []string{"internal/environ", "internal/when", "stages/stagetest", "tests/testdata"}

// readsEnvironment are the calls that read variables, or folders that variables name, in Go and C.
// secure_getenv is not among them.
var readsEnvironment = regexp.MustCompile(`\bos\.(Getenv|LookupEnv|ExpandEnv|UserCacheDir|UserConfigDir|UserHomeDir)\b|\bgetenv\(`)

// TestVariablesAreReadInOnePlace checks that Go code reads environment variables by
// internal/environ, and C code by secure_getenv. Programs with raised rights then obey none of
// them.
func TestVariablesAreReadInOnePlace(t *testing.T) {
	check := func(path string) {
		folder := filepath.ToSlash(filepath.Dir(inModule(path)))
		for _, other := range otherReaders {
			if folder == other || strings.HasSuffix(path, "_test.go") {
				return
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if call := readsEnvironment.FindString(code); call != "" {
				t.Errorf("%s:%d calls %s", inModule(path), i+1, call)
			}
		}
	}
	eachGoFile(t, check)
	shim, err := filepath.Glob("../cmd/*/shim/*.[ch]")
	library, more := filepath.Glob("../cmd/libvkevd/*.[ch]")
	if err != nil || more != nil || len(shim) < 5 || len(library) == 0 {
		t.Fatal(shim, library, err, more)
	}
	for _, path := range append(shim, library...) {
		check(path)
	}
}
