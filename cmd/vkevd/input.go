package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
)

// stdinWord stands for standard input on the command line.
const stdinWord = "-"

// readMatrix reads a file and makes sure that what it holds is a symmetric matrix.
func readMatrix(ctx context.Context, file string, stdin io.Reader) (evd.Sym[float64], error) {
	return unlessDone(ctx, func() (evd.Sym[float64], error) { return readSymmetric(file, stdin) })
}

// untilDone is unlessDone for a whole command: what it has opened it closes itself.
func untilDone(ctx context.Context, work func() error) error {
	_, err := unlessDone(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}

// unlessDone does what cannot be interrupted and returns as soon as ctx ends, even out
// of a pipe to which nobody writes, or out of a driver's compiler. The work is then
// left behind, which does no harm in a process about to end.
func unlessDone[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		is  T
		err error
	}
	done := make(chan answer, 1) // room for the answer that nobody waits for any more
	go func() {
		is, err := work()
		done <- answer{is, err}
	}()
	select {
	case a := <-done:
		return a.is, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func readSymmetric(file string, stdin io.Reader) (evd.Sym[float64], error) {
	var none evd.Sym[float64]
	d, err := readDense(file, stdin)
	if err != nil {
		return none, err
	}
	if !d.DeclaredSymmetric { // else the reader itself made both triangles equal
		if err := d.Symmetric(); err != nil {
			return none, fmt.Errorf("%s: %w", inputName(file), err)
		}
	}
	return evd.Sym[float64]{N: d.Rows, Ld: max(d.Rows, 1), Data: d.Data, Uplo: evd.Lower}, nil
}

func readDense(file string, stdin io.Reader) (*matio.Dense, error) {
	return readFile(file, stdin, "a matrix", matio.Read, matio.ReadFile)
}

func readVector(file string, stdin io.Reader) ([]float64, error) {
	return readFile(file, stdin, "a vector", matio.ReadVector, matio.ReadVectorFile)
}

// readFile reads by one of two functions of matio, from a stream or from a file.
func readFile[T any](file string, stdin io.Reader, what string, stream func(io.Reader, string) (T, error), named func(string) (T, error)) (T, error) {
	if file == stdinWord {
		return stream(stdin, inputName(file))
	}
	var none T
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return none, fmt.Errorf("%s: is a directory, not %s file", file, what)
	}
	is, err := named(file)
	if as[*fs.PathError](err) { // what matio says itself begins with the file
		err = fmt.Errorf("%s: %w", file, reason(err))
	}
	return is, err
}

// inputName is how errors and reports name the input.
func inputName(file string) string {
	if file == stdinWord {
		return "standard input"
	}
	return file
}

// A deviceError is one of opening a device.
type deviceError struct{ error }

func (e *deviceError) Unwrap() error { return e.error }

// isEmpty says whether a file is there and holds nothing.
func isEmpty(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// reason is an error of the operating system without the operation and the names in it.
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

// aboutMatrix adds to an error of the solver which file it is about, and counts
// rows and columns from 1 as the readers of files do.
func aboutMatrix(file string, n int, err error) error {
	var notFinite *evd.NonFiniteError
	var option *evd.OptionError
	var noDevice *deviceError
	switch {
	case errors.As(err, &noDevice):
		return noDevice.error // the matrix has nothing to do with it
	case errors.As(err, &notFinite):
		return fmt.Errorf("%s: a(%d,%d) is %v; eigenvalues need finite entries (rows and columns from 1)",
			inputName(file), notFinite.Row+1, notFinite.Col+1, notFinite.Value)
	case errors.As(err, &option):
		return aboutOption(option)
	case err == nil || errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("%s, n = %d: %w", inputName(file), n, err)
}
