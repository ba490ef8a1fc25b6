package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCollectionIsFoundBesideTheRepository checks which folder the function Collection returns: the
// one that VKEVD_DATA names, or else the folder shared/data next to the repository, and no other.
func TestCollectionIsFoundBesideTheRepository(t *testing.T) {
	home := t.TempDir()
	inner := filepath.Join(home, "repository", "some", "package")
	beside := filepath.Join(home, "shared", "data")
	for _, folder := range []string{inner, beside} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(inner)
	t.Setenv(collectionVariable, "")
	expect := func(when, want string, wantAsked bool) {
		t.Helper()
		if folder, asked := Collection(); folder != want || asked != wantAsked {
			t.Errorf("%s: %q, asked %v", when, folder, asked)
		}
	}
	expect("no source", "", false)
	if err := os.WriteFile(filepath.Join(home, "repository", "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect("a folder without references", "", false)
	if err := os.Mkdir(filepath.Join(beside, "ref"), 0o700); err != nil {
		t.Fatal(err)
	}
	expect("beside", beside, false)
	t.Setenv(collectionVariable, "elsewhere")
	expect("named", "elsewhere", true)
}
