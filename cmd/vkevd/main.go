// Command vkevd computes eigenvalues and eigenvectors of real symmetric
// matrices on a GPU through Vulkan.
//
// One file holds one command. Here, and nowhere else in the module, something is
// printed, the environment is read, and errors become exit statuses:
//
//	0  fine
//	1  numerical failure, or interrupted
//	2  usage, or a file that cannot be read or written
//	3  no device, or not one that can do it
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run(untilAsked(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, ours()))
}

// untilAsked is a context that ends when somebody asks the program to: by Ctrl-C, by
// kill, or by closing the terminal.
func untilAsked() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	asked := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// What a shell ignores for its background jobs, or nohup, stays ignored.
		if !signal.Ignored(s) {
			signal.Notify(asked, s)
		}
	}
	go func() {
		<-asked
		cancel()
		// From now on signals act as everywhere: a second one ends a program whose
		// driver does not answer.
		signal.Stop(asked)
	}()
	return ctx
}
