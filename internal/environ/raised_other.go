//go:build !linux || !cgo

package environ

import "os"

// hasRaisedRights compares the user and the group that started the program with those whose rights
// it has. On Windows there are no such numbers, and all are −1.
func hasRaisedRights() bool {
	return os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid()
}
