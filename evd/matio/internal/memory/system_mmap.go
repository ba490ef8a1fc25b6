//go:build linux || darwin || freebsd

package memory

import "syscall"

// systemHas reports whether the system has this many bytes of memory. It maps private memory of
// this size and unmaps it without writing to it. This test uses no pages, and has the same limits
// as Go's allocator.
func systemHas(bytes int64) bool {
	if int64(int(bytes)) != bytes {
		return false
	}
	m, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(m) == nil
}
