//go:build !(linux || darwin || freebsd)

package matio

// systemHas has nobody to ask here; Go's allocator will find out.
func systemHas(bytes int) bool { return true }
