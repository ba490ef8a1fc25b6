//go:build !(linux || darwin || freebsd || netbsd)

package main

import "os"

// columns is 0, because on this system the width of the terminal is not known.
func columns(*os.File) int { return 0 }
