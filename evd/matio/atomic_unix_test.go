//go:build unix

package matio

import (
	"fmt"
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

// TestAtomicFollowsNoForbiddenLink writes to links that the system does not follow. Nothing may be
// replaced then. There are two: a link to more links than the system follows, and a link of another
// user in a folder like /tmp, where Linux forbids it if fs.protected_symlinks is 1.
func TestAtomicFollowsNoForbiddenLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	os.WriteFile(target, []byte("old"), 0o600)
	last := target
	for k := range 41 {
		link := filepath.Join(dir, fmt.Sprint("link", k))
		if err := os.Symlink(last, link); err != nil {
			t.Fatal(err)
		}
		last = link
	}
	shared := filepath.Join(dir, "shared")
	os.Mkdir(shared, 0o700)
	os.Chmod(shared, 0o777|fs.ModeSticky)
	foreign := filepath.Join(shared, "link")
	os.Symlink(target, foreign)
	const nobody = 65534
	links := []string{last}
	if os.Lchown(foreign, nobody, nobody) == nil && os.Getuid() == 0 {
		if _, err := os.Stat(foreign); err != nil {
			links = append(links, foreign)
		}
	}
	if len(links) < 2 {
		t.Log("NOT TESTED: the link of another user, for which this system has no rule")
	}
	for _, link := range links {
		if f, err := CreateAtomic(link); err == nil {
			f.Write([]byte("new"))
			t.Errorf("%s: no error; then %v", link, f.Commit())
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "old" {
		t.Errorf("the target has %q, %v", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 43 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for k := range 41 {
		if _, err := os.Readlink(filepath.Join(dir, fmt.Sprint("link", k))); err != nil {
			t.Error(err)
		}
	}
}
