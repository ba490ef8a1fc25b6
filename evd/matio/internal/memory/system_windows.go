package memory

import "syscall"

var (
	virtualAlloc = syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualAlloc")
	virtualFree  = syscall.NewLazyDLL("kernel32.dll").NewProc("VirtualFree")
)

// systemHas reports whether the system has this many bytes of memory. It commits memory of this
// size and releases it without writing to it.
func systemHas(bytes int64) bool {
	const commitReserve, release, readWrite = 0x3000, 0x8000, 4
	at, _, _ := virtualAlloc.Call(0, uintptr(bytes), commitReserve, readWrite)
	if at == 0 {
		return false
	}
	done, _, _ := virtualFree.Call(at, 0, release)
	return done != 0
}
