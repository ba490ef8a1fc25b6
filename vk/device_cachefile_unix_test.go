//go:build unix

package vk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestLockedFolderIsNotWaitedFor holds the lock of a folder, as a stopped process would. Another
// call must give up waiting for the lock, and write without it.
func TestLockedFolderIsNotWaitedFor(t *testing.T) {
	folder := t.TempDir()
	f, err := os.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Skip("folders cannot be locked here: ", err)
	}
	called := false
	if err := locked(folder, func() error { called = true; return nil }); err != nil || !called {
		t.Errorf("called %v, %v", called, err)
	}
}

// TestCacheOfAnotherKindIsAMiss puts something else in the place of a cache file: a pipe without a
// writer, a folder, a link to a device, and a file of 10 TB that takes no space. The device must
// neither use such a file nor wait for it, and must open and close without an error.
func TestCacheOfAnotherKindIsAMiss(t *testing.T) {
	folder := t.TempDir()
	opt := Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: folder}
	d, err := Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	d.SetProbe("it works", "yes")
	paths := []string{d.cachePath("pipelines"), d.cachePath("facts")}
	d.Close()
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.MkdirAll(filepath.Join(path, "more"), 0o700) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"10 TB": func(path string) error {
			return errors.Join(writeCache(path, []byte("data")), os.Truncate(path, 10<<40))
		},
	} {
		for _, path := range paths {
			os.RemoveAll(path)
			if err := put(path); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error)
		go func() {
			d, err := Open(opt)
			if err == nil {
				if _, known := d.answer("it works"); known {
					t.Errorf("%s: facts are known", name)
				}
				err = d.Close()
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the device waits", name)
		}
	}
}

// TestCacheOfAnotherUserIsAMiss gives a cache file to another user, which only root can do. The
// file of another user is not used, because drivers execute its contents. A file of root is used.
func TestCacheOfAnotherUserIsAMiss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipelines.bin")
	if err := writeCache(path, []byte("data")); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	if err := os.Chown(path, nobody, nobody); err != nil {
		t.Skip("only root can give files away: ", err)
	}
	if got := readCache(path).data; got != nil {
		t.Errorf("a file of another user: read %q", got)
	}
	if err := os.Chown(path, 0, 0); err != nil {
		t.Fatal(err)
	}
	if got := readCache(path).data; string(got) != "data" {
		t.Errorf("a file of root: read %q", got)
	}
}
