//go:build linux || darwin || freebsd

package matio

import "syscall"

// systemHas tells whether the system has this many bytes of memory. It maps private memory of that
// size and unmaps it without touching it. This costs no pages, and has the same limits as Go's
// allocator.
func systemHas(bytes int) bool {
	m, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(m) == nil
}
