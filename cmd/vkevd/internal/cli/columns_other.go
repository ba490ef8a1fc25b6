//go:build !(linux || darwin || freebsd || netbsd)

package cli

import "os"

// columns is 0, because on this operating system the program does not read the width of the
// terminal.
func columns(*os.File) int { return 0 }
