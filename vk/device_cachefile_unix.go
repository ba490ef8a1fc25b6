//go:build unix

package vk

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// trusted tells whether only the user or root can have written the file. This matters because
// drivers execute the contents of a cache.
func trusted(info fs.FileInfo) bool {
	const othersWrite = 0o022
	owner := -1
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	return info.Mode().Perm()&othersWrite == 0 && (owner == os.Geteuid() || owner == 0)
}

const lockTries, lockPause = 100, 10 * time.Millisecond

// locked calls `do` while no other process is in such a call for the same folder. If the folder
// does not exist, it is made. If it cannot be locked, `do` is called without a lock. For example,
// some network file systems have no locks, and a stopped process may hold the lock for more than a
// second. The system releases the lock if the process ends.
func locked(folder string, do func() error) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if f, err := os.Open(folder); err == nil {
		defer f.Close() // also releases the lock
		for range lockTries {
			err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
				break
			}
			time.Sleep(lockPause)
		}
	}
	return do()
}
