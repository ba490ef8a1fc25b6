//go:build !(linux || darwin || freebsd || windows)

package memory

// systemHas reports whether the system has this many bytes of memory. On this system there is no
// way to find out. It returns false only for 64 TiB or more, which no machine has.
func systemHas(bytes int64) bool { return bytes < 1<<46 }
