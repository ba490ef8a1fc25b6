//go:build unix

package vk

import (
	"os"
	"syscall"
	"testing"
)

// TestLockedFolderIsNotWaitedFor holds the lock of a folder, as a stopped process would. Another call
// must give up waiting for the lock, and write without it.
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
