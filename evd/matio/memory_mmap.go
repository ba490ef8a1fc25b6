//go:build linux || darwin || freebsd

package matio

import "syscall"

// systemHas asks by mapping that much private memory and giving it back untouched,
// which costs no pages and meets the same limits as Go's allocator will.
func systemHas(bytes int) bool {
	m, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(m) == nil
}
