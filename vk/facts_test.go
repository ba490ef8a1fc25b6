package vk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFact: a fact is found out once, in this process and with the same folder in the next; an error or a
// torn file leaves it to be found out again.
func TestFact(t *testing.T) {
	dir := t.TempDir()
	open := func() *Device {
		d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	found := 0
	find := func() (string, error) { found++; return "yes", nil }
	ask := func(d *Device, want string, wantFound int) {
		t.Helper()
		if got, err := d.Fact("it works", find); got != want || err != nil || found != wantFound {
			t.Errorf("%q, %v after %d times; want %q after %d", got, err, found, want, wantFound)
		}
	}
	d := open()
	failed := errors.New("no luck")
	if _, err := d.Fact("it works", func() (string, error) { return "", failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	ask(d, "yes", 1)
	ask(d, "yes", 1)
	d.Close()
	d = open()
	ask(d, "yes", 1)
	d.Close()

	files, _ := filepath.Glob(filepath.Join(dir, "facts-*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	if err := os.WriteFile(files[0], []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = open()
	ask(d, "yes", 2)
	d.Close()
	ask(Dry(Info{}), "", 2)
}
