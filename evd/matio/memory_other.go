//go:build !(linux || darwin || freebsd || windows)

package matio

// systemHas has no way to ask this system about its memory. It returns false only for 64 TiB or
// more, which no machine has.
func systemHas(bytes int) bool { return bytes < 1<<46 }
