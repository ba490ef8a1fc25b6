package matio

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// names returns the names of the files in a folder, so that a test can check that no other files
// are left.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func create(t *testing.T, path, text string) *AtomicFile {
	t.Helper()
	f, err := CreateAtomic(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprint(f, text); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAtomicCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	for _, text := range []string{"first", "second"} {
		before := content(t, path)
		f := create(t, path, text)
		if now := content(t, path); now != before {
			t.Errorf("before Commit the file changed from %q to %q", before, now)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if content(t, path) != text || names(t, dir) != "out" {
			t.Errorf("after Commit: %q in a folder with %s", content(t, path), names(t, dir))
		}
		if f.Abort() != nil || content(t, path) != text {
			t.Error("Abort after Commit did something")
		}
		if _, err := f.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Write after Commit: %v", err)
		}
		if err := f.Commit(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Commit after Commit: %v", err)
		}
	}
}

func TestAtomicAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f := create(t, path, "never")
	if err := f.Abort(); err != nil || names(t, dir) != "" {
		t.Errorf("after Abort: %v, folder holds %q", err, names(t, dir))
	}
	os.WriteFile(path, []byte("old"), 0o600)
	f = create(t, path, "never")
	if err := f.Abort(); err != nil || names(t, dir) != "out" || content(t, path) != "old" {
		t.Errorf("after Abort: %v, folder holds %q, file %q", err, names(t, dir), content(t, path))
	}
	if err := f.Commit(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
}

func TestAtomicFailedWriteRefusesCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	os.WriteFile(path, []byte("old"), 0o600)
	f := create(t, path, "new")
	f.f.Close() // so that the next Write fails, as on a full disk
	_, err := f.Write([]byte("x"))
	if err == nil {
		t.Fatal("Write to a closed file passed")
	}
	if commit := f.Commit(); !errors.Is(commit, err) || names(t, dir) != "out" || content(t, path) != "old" {
		t.Errorf("Commit: %v, folder holds %q, file %q", commit, names(t, dir), content(t, path))
	}
}

func TestAtomicFailedRenameLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f := create(t, path, "new")
	os.MkdirAll(filepath.Join(path, "sub"), 0o700) // a folder takes the name before Commit
	if err := f.Commit(); err == nil || names(t, dir) != "out" {
		t.Errorf("Commit: %v, folder holds %q", err, names(t, dir))
	}
}

func TestAtomicRefusesEarly(t *testing.T) {
	dir := t.TempDir()
	if _, err := CreateAtomic(dir); err == nil {
		t.Error("a folder was opened for writing")
	}
	missing := filepath.Join(dir, "no", "such", "out")
	_, err := CreateAtomic(missing)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(fmt.Sprint(err), "cannot create "+missing) {
		t.Errorf("missing folder: %v", err)
	}
	if names(t, dir) != "" {
		t.Errorf("folder holds %q", names(t, dir))
	}
}

// TestAtomicStdout writes to the standard output of the process. Commit must leave this stream
// open.
func TestAtomicStdout(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	saved := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = saved }()
	if err := create(t, "/dev/stdout", "one ").Commit(); err != nil {
		t.Fatal(err)
	}
	if err := create(t, "/dev/stdout", "two").Abort(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("stdout was closed: %v", err)
	}
	got := make([]byte, 16)
	n, _ := r.Read(got)
	if string(got[:n]) != "one two" {
		t.Errorf("got %q", got[:n])
	}
}

// TestAtomicSyncsBeforeItRenames checks the order of the steps of Commit: the data must be on the
// disk before the file gets its final name. If the sync fails, Commit must fail.
func TestAtomicSyncsBeforeItRenames(t *testing.T) {
	defer func() { syncFile = (*os.File).Sync }()
	for _, failure := range []error{nil, errors.New("the disk is gone")} {
		path, synced := filepath.Join(t.TempDir(), "x"), 0
		syncFile = func(f *os.File) error {
			synced++
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file has its name already: %v", err)
			}
			if got := content(t, f.Name()); got != "data" {
				t.Errorf("synchronised with %q in it", got)
			}
			return failure
		}
		f, err := CreateAtomic(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("data")); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); !errors.Is(err, failure) || synced != 1 {
			t.Errorf("%v after %d calls", err, synced)
		}
		if _, err := os.Stat(path); (err == nil) != (failure == nil) {
			t.Errorf("the file: %v", err)
		}
	}
}
