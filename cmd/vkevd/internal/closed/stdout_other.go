//go:build !unix

package closed

// Stdout is false: no shell of such a system starts a program with a closed standard output.
func Stdout() bool { return false }
