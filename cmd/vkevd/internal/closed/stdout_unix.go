//go:build unix

package closed

// #include <fcntl.h>
//
// static int closed;
//
// __attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) < 0; }
//
// static int was_closed(void) { return closed; }
import "C"

// Stdout tells whether standard output was closed when the process began. The C code looks before
// Go's own start.
func Stdout() bool { return C.was_closed() != 0 }
