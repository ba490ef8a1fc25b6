//go:build linux && cgo

package environ

// #include <sys/auxv.h>
import "C"

// hasRaisedRights asks for the flag that secure_getenv of the C library asks for, too. Linux sets it
// for set-user-ID and set-group-ID programs, and for files with capabilities. It stays set if the
// program gives up these rights later.
func hasRaisedRights() bool { return C.getauxval(C.AT_SECURE) != 0 }
