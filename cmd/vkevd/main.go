// Command vkevd computes eigenvalues and eigenvectors of real symmetric matrices on a GPU through
// Vulkan.
//
// Each command has a file with the name of the command. If a command has several files, all their
// names begin with the name of the command. Package internal/draw makes the pictures. This is the
// only package of the module that prints, reads the environment and turns errors into exit
// statuses:
//
//	0  success
//	1  numerical failure, or interrupted
//	2  usage error, or a file that cannot be read or written
//	3  no suitable device
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/closed"
)

func main() {
	if closed.Stdout() {
		os.Stdout = closed.File()
	}
	os.Exit(run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, processEnvironment()))
}

// untilSignal is a context that ends with the first of SIGINT (Ctrl-C), SIGTERM (kill) and SIGHUP
// (the terminal was closed).
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	received := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// A shell makes its background jobs ignore SIGINT, and nohup ignores SIGHUP. Such signals
		// must still be ignored.
		if !signal.Ignored(s) {
			signal.Notify(received, s)
		}
	}
	go func() {
		<-received
		cancel()
		// Restore the default action, so that a second signal ends a program whose driver hangs.
		signal.Stop(received)
	}()
	return ctx
}
