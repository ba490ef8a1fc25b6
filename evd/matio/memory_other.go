//go:build !(linux || darwin || freebsd || windows)

package matio

// systemHas knows no way to ask this system. It refuses what no machine has, 64 TiB; for anything
// less Go's allocator will find out.
func systemHas(bytes int) bool { return bytes < 1<<46 }
