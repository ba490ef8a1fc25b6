//go:build unix

package ownfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// TestReadDoesNotWait gives Read what is no small file: a pipe without a writer, a folder, a device,
// links to them, and a file of 10 TB that takes no space. Read must return an error at once, and must
// not allocate memory for the claimed size.
func TestReadDoesNotWait(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, err := range []error{
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700), os.Symlink("/dev/zero", at("zero")),
		os.Symlink(at("pipe"), at("link to a pipe")), os.Symlink(at("loop"), at("loop")), os.WriteFile(at("10 TB"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	isKind := map[string]bool{
		at("pipe"): true, at("folder"): true, at("zero"): true, at("link to a pipe"): true, "/dev/zero": true, "/dev/null": true,
		at("loop"): false,
	}
	if err := os.Truncate(at("10 TB"), 10<<40); err != nil {
		t.Log("no file of 10 TB here: ", err)
	} else {
		isKind[at("10 TB")] = false
	}
	for path, kind := range isKind {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		done := make(chan error, 1)
		go func() { _, _, err := Read(path, 256<<20); done <- err }()
		select {
		case err := <-done:
			if err == nil || errors.Is(err, ErrKind) != kind {
				t.Errorf("%s: %v", path, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: Read waits", path)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", path, got)
		}
	}
}

// TestReadOfAFileThatBecomesAPipe replaces a file by a pipe while it is read, again and again. Read
// must not wait for a writer of the pipe.
func TestReadOfAFileThatBecomesAPipe(t *testing.T) {
	folder := t.TempDir()
	path, file, pipe := filepath.Join(folder, "x"), filepath.Join(folder, "file"), filepath.Join(folder, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("text"), 0o600), syscall.Mkfifo(pipe, 0o600), os.Link(file, path)); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			for _, from := range []string{pipe, file} {
				os.Link(from, path+".new")
				os.Rename(path+".new", path)
				os.Remove(path + ".new") // it stays if both were the same file
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for began := time.Now(); time.Since(began) < 300*time.Millisecond; {
			if data, _, err := Read(path, 100); err == nil && string(data) != "text" {
				t.Errorf("read %q", data)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("Read waits")
	}
	close(stop)
	<-stopped
}
