//go:build !(linux || darwin || freebsd || windows)

package matio

// systemHas cannot ask this system about its memory. It refuses 64 TiB and more, which no machine
// has. For anything less Go's allocator will find out.
func systemHas(bytes int) bool { return bytes < 1<<46 }
