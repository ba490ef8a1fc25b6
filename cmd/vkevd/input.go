package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/vkevd/vkevd/evd/matio"
)

// streamWord is the word that stands for standard input or standard output on the command line.
const streamWord = "-"

// untilDone runs the work of a whole command, which may not be interruptible. If ctx ends, it
// returns without waiting for the work. The work may continue after that, but closes the files that
// it has opened.
func untilDone(ctx context.Context, work func() error) error {
	_, err := unlessDone(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// unlessDone runs work that cannot be interrupted, such as a read from an idle pipe or a driver's
// compiler. If ctx ends, unlessDone returns without waiting for the work. The work then continues
// in its goroutine until the process ends.
func unlessDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	done := make(chan answer, 1) // with capacity, so that work that ends late does not block forever
	go func() {
		result, err := work()
		done <- answer{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func readVector(file string, stdin io.Reader) ([]float64, error) {
	return readFile(file, stdin, "a vector", matio.ReadVector, matio.ReadVectorFile)
}

// readFile reads an input with package matio. It calls the function `stream` if the input is
// standard input, and the function `named` if it is a file. `what` describes the content in error
// messages.
func readFile[T any](
	file string, stdin io.Reader, what string,
	stream func(io.Reader, string) (T, error), named func(string) (T, error),
) (T, error) {
	if file == streamWord {
		return stream(stdin, inputName(file))
	}
	var none T
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return none, fmt.Errorf("%s: is a directory, not %s file", file, what)
	}
	result, err := named(file)
	if as[*fs.PathError](err) { // matio's own errors begin with the file
		err = fmt.Errorf("%s: %w", file, reason(err))
	}
	return result, err
}

// readAll returns the content of a file.
func readAll(file string, stdin io.Reader) ([]byte, error) {
	return readFile(file, stdin, "a text", matio.ReadAll, func(file string) ([]byte, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return matio.ReadAll(f, file)
	})
}

// inputName is the name of an input file in errors and reports.
func inputName(file string) string {
	if file == streamWord {
		return "standard input"
	}
	return file
}

// isEmpty tells whether a file exists and has no content.
func isEmpty(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// reason returns the innermost part of an error of the operating system, without the names of the
// operation and of the file.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
