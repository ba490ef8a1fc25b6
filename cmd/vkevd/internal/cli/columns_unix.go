//go:build linux || darwin || freebsd || netbsd

package cli

import (
	"os"
	"syscall"
	"unsafe"
)

// columns is the width of a terminal in characters. It is 0 if f is not a terminal.
func columns(f *os.File) int {
	var size struct{ rows, cols, x, y uint16 } // struct winsize of ioctl_tty(2)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	return int(size.cols)
}
