//go:build amd64 || arm64

package matio

import (
	"os"
	"syscall"
)

// forget asks the system to remove a file from the page cache, so that the next read is from the
// disk.
func forget(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil { // data that are not written yet cannot be dropped
		return err
	}
	const dontNeed = 4
	if _, _, e := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0); e != 0 {
		return e
	}
	return nil
}
