//go:build unix

package ownfile

import "syscall"

// nonblocking opens a pipe without a wait for its writer.
const nonblocking = syscall.O_NONBLOCK
