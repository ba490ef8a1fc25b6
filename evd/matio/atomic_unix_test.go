//go:build unix

package matio

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestAtomicPermissions(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o027))
	fresh := filepath.Join(dir, "fresh")
	if err := create(t, fresh, "x").Commit(); err != nil {
		t.Fatal(err)
	}
	if got := permissions(t, fresh); got != newFileMode&^0o027 {
		t.Errorf("new file: %v", got)
	}
	for _, mode := range []fs.FileMode{0o600, 0o666, 0o444} {
		old := filepath.Join(dir, "old")
		os.WriteFile(old, nil, 0o600)
		os.Chmod(old, mode)
		if err := create(t, old, "x").Commit(); err != nil {
			t.Fatal(err)
		}
		if got := permissions(t, old); got != mode {
			t.Errorf("file of mode %v became %v", mode, got)
		}
		os.Remove(old)
	}
}

// TestAtomicFollowsLinks writes through links to an existing file and to a file that does not
// exist. It also writes through a link to the folder. Then ".." means the parent of the folder, not
// the parent of the link.
func TestAtomicFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "a", "deep"), 0o700)
	os.Symlink(filepath.Join("a", "deep"), filepath.Join(dir, "short"))
	os.Symlink(filepath.Join("..", "target"), filepath.Join(dir, "a", "deep", "link"))
	link, target := filepath.Join(dir, "short", "link"), filepath.Join(dir, "a", "target")
	for _, text := range []string{"first", "second"} {
		if err := create(t, link, text).Commit(); err != nil {
			t.Fatal(err)
		}
		if content(t, target) != text || names(t, filepath.Join(dir, "a")) != "deep target" {
			t.Errorf("target holds %q beside %s", content(t, target), names(t, filepath.Join(dir, "a")))
		}
	}
	if _, err := os.Readlink(link); err != nil {
		t.Errorf("the link was replaced: %v", err)
	}
	circle := filepath.Join(dir, "circle")
	os.Symlink("circle", circle)
	if err := func() error { _, err := CreateAtomic(circle); return err }(); err == nil {
		t.Error("a link to itself was opened")
	}
}

func TestAtomicWritesPipesDirectly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	got := make(chan string)
	go func() { got <- content(t, path) }() // ends when the writer closes
	if err := create(t, path, "through").Commit(); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through" || names(t, dir) != "pipe" {
		t.Errorf("got %q, folder holds %s", s, names(t, dir))
	}
}

func TestAtomicDevices(t *testing.T) {
	if err := create(t, os.DevNull, "x").Commit(); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Fatalf("the null device was replaced: %v", err)
	}
	if full, err := CreateAtomic("/dev/full"); err == nil {
		if _, err := full.Write([]byte("x")); err == nil || full.Commit() == nil {
			t.Error("a full device took a byte")
		}
	}
}
