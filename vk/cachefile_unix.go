//go:build unix

package vk

import (
	"io/fs"
	"os"
	"syscall"
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
