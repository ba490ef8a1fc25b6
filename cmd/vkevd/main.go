// Command vkevd computes eigenvalues and eigenvectors of real symmetric matrices on a GPU through
// Vulkan.
//
// Each command has a file with the name of the command, or a folder below internal if it has many. The
// folder internal/cli has what they share, internal/machine makes plans, internal/report has facts and
// measures, and internal/draw makes the pictures. Only this program of the module prints, reads the
// environment and turns errors into exit statuses:
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

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/closed"
)

// commit is the commit of the source, for builds in which the Go tool cannot see it. Such a build
// has the flag -ldflags "-X main.commit=…": see Containerfile.
var commit string

func main() {
	cli.BuiltFrom = commit
	if closed.Stdout() {
		os.Stdout = closed.File()
	}
	os.Exit(run(untilSignal(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, cli.ProcessEnvironment()))
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
