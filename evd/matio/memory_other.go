//go:build !(linux || darwin || freebsd || windows)

package matio

// systemHas has nobody to ask here. What no machine has is refused; of the rest Go's
// allocator will find out.
func systemHas(bytes int) bool { return bytes < 1<<46 }
