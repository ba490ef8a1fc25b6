package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/vkevd/vkevd/evd/matio"
)

// StreamWord is the word that stands for standard input or standard output on the command line.
const StreamWord = "-"

// UntilDone runs the work of a whole command, which may not be interruptible. If ctx ends, it
// returns without waiting for the work. The work may continue after that, but closes the files that
// it has opened.
func UntilDone(ctx context.Context, work func() error) error {
	_, err := UnlessDone(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// UnlessDone runs work that cannot be interrupted, such as a read from an idle pipe or a driver's
// compiler. If ctx ends, UnlessDone returns without waiting for the work. The work then continues
// in its goroutine until the process ends.
func UnlessDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
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

func ReadVector(file string, stdin io.Reader) ([]float64, error) {
	return ReadFile(file, stdin, "a vector", matio.ReadVector, matio.ReadVectorFile)
}

// ReadFile reads an input with package matio. It calls the function `stream` if the input is
// standard input, and the function `named` if it is a file. `what` describes the content in error
// messages.
func ReadFile[T any](
	file string, stdin io.Reader, what string,
	stream func(io.Reader, string) (T, error), named func(string) (T, error),
) (T, error) {
	if file == StreamWord {
		return stream(stdin, InputName(file))
	}
	var none T
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return none, fmt.Errorf("%s: is a directory, not %s file", file, what)
	}
	result, err := named(file)
	if As[*fs.PathError](err) { // matio's own errors begin with the file
		err = fmt.Errorf("%s: %w", file, Reason(err))
	}
	return result, err
}

// ReadAll returns the content of a file.
func ReadAll(file string, stdin io.Reader) ([]byte, error) {
	return ReadFile(file, stdin, "a text", matio.ReadAll, func(file string) ([]byte, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return matio.ReadAll(f, file)
	})
}

func InputName(file string) string {
	if file == StreamWord {
		return "standard input"
	}
	return file
}

func IsEmpty(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Reason returns the innermost part of an error of the operating system, without the names of the
// operation and of the file.
func Reason(err error) error {
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
