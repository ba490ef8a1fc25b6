package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matio"
)

// archiveEnding is the ending of file names for results of a .npz file: such results have one array
// for each array of the input.
const archiveEnding = ".npz"

// batchEndings returns the endings that the names of an output may have. With --batch, .npz is one
// of them.
func (j *solveJob) batchEndings(endings []string) []string {
	if !j.batch {
		return endings
	}
	return append(slices.Clone(endings), archiveEnding)
}

// checkNames compares the formats of the outputs with the input. The arrays of a .npz input have
// names, which a .npy output cannot hold. A .npz output needs such names. If an output does not
// fit, checkNames returns an error.
func (j *solveJob) checkNames(f *batchFile) error {
	for _, path := range []string{j.values, j.vectors} {
		switch e := cli.Ending(path); {
		case f.Named && e == ".npy":
			return fmt.Errorf("%s: the matrices of %s have names, which .npz keeps", path, f.name)
		case !f.Named && e == archiveEnding:
			return fmt.Errorf("%s: the matrices of %s have no names; .npy takes them", path, f.name)
		}
	}
	return nil
}

// Write writes the output files.
func (w *batchWork[M]) Write(ctx context.Context, out *cli.Outputs) error {
	f, res := w.f, w.res
	return errors.Join(
		out.Write(ctx, w.values, func(to io.Writer) error {
			switch cli.Ending(w.values) {
			case ".npy", archiveEnding:
				return f.Write(to, res, f.writeStackValues)
			}
			return f.writeLines(to, res)
		}),
		out.Write(ctx, w.vectors, func(to io.Writer) error { return f.Write(to, res, f.writeStackVectors) }))
}

// Write writes results with one array for each array of the input. The function `array` writes one
// of them. The output is a .npz file with the names of the arrays, or a .npy file if the input has
// no names.
func (f *batchFile) Write(w io.Writer, res *batch.Result, array func(io.Writer, matio.NamedStack, []batch.Spectrum) error) error {
	if !f.Named {
		return array(w, f.All[0], res.Spectra)
	}
	z := matio.NewNPZWriter(w)
	rest := res.Spectra
	for _, a := range f.All {
		member, err := z.Array(a.Name)
		if err == nil {
			err = array(member, a, rest[:a.Count])
		}
		if err != nil {
			return err
		}
		rest = rest[a.Count:]
	}
	return z.Close()
}

// writeStackValues writes the eigenvalues of one array of the input, in the form of
// numpy.linalg.eigh and in the precision of the array: one dimension for one matrix, and two for a
// stack.
func (f *batchFile) writeStackValues(w io.Writer, a matio.NamedStack, s []batch.Spectrum) error {
	if a.Single {
		return writeStackValues(w, a, s, f.wanted.count(f.Order(a)), singles)
	}
	return writeStackValues(w, a, s, f.wanted.count(f.Order(a)), doubles)
}

// writeStackValues writes `count` values of each matrix. The function `as` converts them to the type T.
func writeStackValues[T evd.Float](w io.Writer, a matio.NamedStack, s []batch.Spectrum, count int, as func([]float64) []T) error {
	if a.Dims == 2 {
		return matio.WriteNPYVector(w, as(s[0].Values))
	}
	rows := make([][]T, len(s))
	for k, x := range s {
		rows[k] = as(x.Values)
	}
	return matio.WriteRows(w, count, rows)
}

// writeStackVectors writes the vectors of an array, as numpy.linalg.eigh returns them and in the
// precision of the array: element (i, j) of a matrix is component i of vector j.
func (f *batchFile) writeStackVectors(w io.Writer, a matio.NamedStack, s []batch.Spectrum) error {
	if a.Single {
		return writeStackVectors(w, a, s, f.Order(a), f.wanted.count(f.Order(a)), singles)
	}
	return writeStackVectors(w, a, s, f.Order(a), f.wanted.count(f.Order(a)), doubles)
}

// writeStackVectors writes `count` vectors of each matrix of order n. The function `as` converts them
// to the type T.
func writeStackVectors[T evd.Float](w io.Writer, a matio.NamedStack, s []batch.Spectrum, n, count int, as func([]float64) []T) error {
	if a.Dims == 2 {
		v := s[0].Vectors
		return matio.WriteNPY(w, v.Rows, v.Cols, as(v.Data), v.Ld)
	}
	return matio.WriteStack(w, len(s), n, count, func(k int) []T { return as(s[k].Vectors.Data) })
}

// doubles returns a list of doubles as it is, and `singles` rounds it to single precision.
func doubles(x []float64) []float64 { return x }

func singles(x []float64) []float32 {
	rounded := make([]float32, len(x))
	for i, v := range x {
		rounded[i] = float32(v)
	}
	return rounded
}

// writeLines writes one line for each matrix: its values, separated by blanks. If the matrices have
// names, the line begins with the name and a tab.
func (f *batchFile) writeLines(w io.Writer, res *batch.Result) error {
	b := bufio.NewWriter(w)
	for k, s := range res.Spectra {
		if f.Named {
			b.WriteString(f.label(k) + "\t")
		}
		for i, x := range s.Values {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strconv.FormatFloat(x, 'g', 17, 64))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
