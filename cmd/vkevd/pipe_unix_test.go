//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/closed"
)

// ended runs work with a context that ends soon. The work waits until then, and must return the
// error of the context at once.
func ended(t *testing.T, what string, work func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the error of the context", what, err)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("%s waits, although the context has ended", what)
	}
}

// TestEndWhileAnOutputWaits uses a named pipe as an output. A program that opens it waits for a
// reader, and a program that writes to a full one waits for the reader to read. If a signal ends
// the context, neither of these programs may wait any longer.
func TestEndWhileAnOutputWaits(t *testing.T) {
	newFixture(t)
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	ended(t, "opening an output", func(ctx context.Context) error {
		_, err := cli.CreateOutputs(ctx, io.Discard, nil, "pipe")
		return err
	})
	ended(t, "opening the rows of a measurement", func(ctx context.Context) error {
		return cli.Measuring(ctx, &cli.Session{Stderr: io.Discard}, cli.Verbosity{}, "pipe", func(context.Context, *cli.RowFile, *cli.Progress) error { return nil })
	})
	full, err := os.OpenFile("pipe", os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close() // ends what still waits
	full.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := full.Write(make([]byte, 8<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full: %v", err)
	}
	ended(t, "writing to an output", func(ctx context.Context) error {
		out, err := cli.CreateOutputs(ctx, io.Discard, nil, "pipe")
		if err != nil {
			return err
		}
		return out.Write(ctx, "pipe", func(w io.Writer) error {
			_, err := w.Write([]byte("x"))
			return err
		})
	})
}

// TestClosedStandardOutput starts vkevd as a shell does with >&-. What it would print is lost,
// which is an error. The values must not reach another file either.
func TestClosedStandardOutput(t *testing.T) {
	s := newFixture(t)
	s.file("A.csv", "2,0\n0,3\n")
	p := startCommand(t, "sh", "-c", `exec "$0" solve --quiet A.csv >&-`, os.Args[0])
	p.ends("vkevd: standard output: cannot be written: file already closed", cli.StatusInput)
	s.expectFiles("A.csv")
	if closed.Stdout() {
		t.Error("the standard output of the test is called closed")
	}
}
