package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matio"
	"github.com/vkevd/vkevd/evd/svd"
)

// A singularInput says what the file of vkevd svd contains: a whole matrix, the diagonals of a band
// matrix, or the diagonals of a bidiagonal matrix.
type singularInput struct {
	matrixInput
	banded, bidiagonal bool
	storage            string // a word of cli.PrecisionWords, or ""
}

func (m *singularInput) flags(cmd *cobra.Command) {
	m.fileFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&m.banded, "banded", false, "FILE has the diagonals of an upper band, as LAPACK's dgbbrd stores it:\n"+
		"the last row is the main diagonal; for values alone")
	storageFlag(cmd, &m.storage)
	f.BoolVar(&m.bidiagonal, "bidiagonal", false, "FILE has the diagonal d and the superdiagonal e, in a format that\n"+
		"solve --tridiagonal reads")
}

// storageFlag adds the flag --storage.
func storageFlag(cmd *cobra.Command, storage *string) {
	cmd.Flags().StringVar(storage, "storage", "", "format `S` of the numbers on the device, for values alone: f64, f32\n"+
		"or f16 (default: the precision); see above for the errors")
	cmd.RegisterFlagCompletionFunc("storage", cli.Words(cli.PrecisionWords))
}

// checkStorage returns an error for an unknown format.
func checkStorage(cmd *cobra.Command, storage string) error {
	if storage != "" && !slices.Contains(cli.PrecisionWords, storage) {
		return cli.Usage(cmd, "--storage: %q is none of %s", storage, strings.Join(cli.PrecisionWords, ", "))
	}
	return nil
}

// storageOf returns the format that --storage selects. Without the flag it is svd.Double, which means
// the number type of the plan.
func storageOf(word string) svd.Storage {
	return svd.Storage(max(0, slices.Index(cli.PrecisionWords, word))) // in the same order
}

// read reads the matrix of the command svd from its file. If the file contains only diagonals,
// column j of the result is column j of LAPACK's band storage, as in dgbbrd: the elements above the
// main diagonal from top to bottom, and then the element on the main diagonal. Elements outside the
// matrix are set to zero.
func (m *singularInput) read(ctx context.Context, file string, stdin io.Reader) (*matio.Dense, machine.SingularShape, error) {
	if m.bidiagonal {
		a, err := m.readBidiagonal(ctx, file, stdin)
		if err != nil {
			return nil, machine.SingularShape{}, err
		}
		return a, machine.SingularShape{M: a.Cols, N: a.Cols, Form: machine.BidiagonalMatrix, Above: 1}, nil
	}
	a, err := m.readAnyShape(ctx, file, stdin)
	if err != nil {
		return nil, machine.SingularShape{}, err
	}
	if !m.banded {
		return a, machine.SingularShape{M: a.Rows, N: a.Cols, Storage: storageOf(m.storage)}, nil
	}
	for j := range min(a.Cols, a.Rows-1) {
		clear(a.Data[j*a.Rows : j*a.Rows+a.Rows-1-j])
	}
	return a, machine.SingularShape{M: a.Cols, N: a.Cols, Form: machine.BandMatrix, Above: max(a.Rows-1, 0), Storage: storageOf(m.storage)}, nil
}

// checkStorage returns an error for --storage f64 if the matrix in the file is solved in single
// precision.
func (m *singularInput) checkStorage(file string, single bool) error {
	if single && m.storage == cli.PrecisionDouble {
		return fmt.Errorf("%s: --storage f64 stores no more digits than single precision has; "+
			"--precision f64 solves in double precision", cli.InputName(file))
	}
	return nil
}

// readBidiagonal reads the diagonals of a bidiagonal matrix. The rows of the result are the diagonal
// above the main diagonal, and the main diagonal.
func (m *singularInput) readBidiagonal(ctx context.Context, file string, stdin io.Reader) (*matio.Dense, error) {
	return cli.UnlessDone(ctx, func() (*matio.Dense, error) {
		t, err := readTridiagonal(file, stdin, m.options())
		if err != nil {
			return nil, m.hint(err)
		}
		n := len(t.D)
		a := &matio.Dense{Rows: 2, Cols: n, Data: make([]float64, 2*n), Table: t.Table}
		for j := range n {
			if a.Data[2*j+1] = t.D[j]; j > 0 {
				a.Data[2*j] = t.E[j-1]
			}
		}
		return a, nil
	})
}

// stored is a matrix as it lies in memory. Dense has either all elements of the matrix, or only its
// diagonals.
type stored[T evd.Float] struct {
	evd.Dense[T]
	machine.SingularShape
}

// storedAs returns the matrix with the rows and columns of `a`, the numbers in `data` (those of `a`,
// in type T), and the shape `of` of the matrix that they describe.
func storedAs[T evd.Float](a *matio.Dense, data []T, of machine.SingularShape) stored[T] {
	return stored[T]{evd.Dense[T]{Rows: a.Rows, Cols: a.Cols, Ld: max(a.Rows, 1), Data: data}, of}
}
