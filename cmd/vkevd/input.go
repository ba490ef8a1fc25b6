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
// It returns as soon as ctx ends, even out of a pipe to which nobody writes: the
// reader is then left behind, which does no harm in a process about to end.
func readMatrix(ctx context.Context, file string, stdin io.Reader) (evd.Sym[float64], error) {
	type answer struct {
		matrix evd.Sym[float64]
		err    error
	}
	read := make(chan answer, 1) // room for the answer that nobody waits for any more
	go func() {
		a, err := readSymmetric(file, stdin)
		read <- answer{a, err}
	}()
	select {
	case r := <-read:
		return r.matrix, r.err
	case <-ctx.Done():
		return evd.Sym[float64]{}, ctx.Err()
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
	if file == stdinWord {
		return matio.Read(stdin, inputName(file))
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, not a matrix file", file)
	}
	d, err := matio.ReadFile(file)
	if as[*fs.PathError](err) { // what matio says itself begins with the file
		err = fmt.Errorf("%s: %w", file, reason(err))
	}
	return d, err
}

// inputName is how errors and reports name the input.
func inputName(file string) string {
	if file == stdinWord {
		return "standard input"
	}
	return file
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
	switch {
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
