package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

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
		switch e := ending(path); {
		case f.Named && e == ".npy":
			return fmt.Errorf("%s: the matrices of %s have names, which .npz keeps", path, f.name)
		case !f.Named && e == archiveEnding:
			return fmt.Errorf("%s: the matrices of %s have no names; .npy takes them", path, f.name)
		}
	}
	return nil
}

// writeBatch writes the output files and gives them their final names.
func (j *solveJob) writeBatch(ctx context.Context, out *outputs, f *batchFile, res *batch.Result, r batchFacts) error {
	if err := out.write(ctx, j.values, func(w io.Writer) error {
		switch ending(j.values) {
		case ".npy", archiveEnding:
			return f.write(w, res, func(w io.Writer, a matio.NamedStack, s []batch.Spectrum) error {
				return writeStackValues(w, a, j.valuesOf(f.order(a)), s)
			})
		}
		return f.writeLines(w, res)
	}); err != nil {
		return err
	}
	if err := out.write(ctx, j.vectors, func(w io.Writer) error {
		return f.write(w, res, func(w io.Writer, a matio.NamedStack, s []batch.Spectrum) error {
			return writeStackVectors(w, a, f.order(a), j.valuesOf(f.order(a)), s)
		})
	}); err != nil {
		return err
	}
	return out.finish(ctx, j.report, r.write)
}

// write writes results with one array for each array of the input. The function `array` writes one
// of them. The output is a .npz file with the names of the arrays, or a .npy file if the input has
// no names.
func (f *batchFile) write(w io.Writer, res *batch.Result, array func(io.Writer, matio.NamedStack, []batch.Spectrum) error) error {
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

// valuesOf returns how many values a matrix of order n has in the results.
func (j *solveJob) valuesOf(n int) int {
	if j.options.part.all() {
		return n
	}
	from, to, _ := j.options.part.indices(n) // no error: batchFile.groups has asked, too
	return to - from
}

// writeStackValues writes the eigenvalues of one array of the input, `count` for each matrix, in the
// form of numpy.linalg.eigh: one dimension for one matrix, and two for a stack.
func writeStackValues(w io.Writer, a matio.NamedStack, count int, s []batch.Spectrum) error {
	if a.Dims == 2 {
		return matio.WriteNPYVector(w, s[0].Values)
	}
	var rows [][]float64
	for _, x := range s {
		rows = append(rows, x.Values)
	}
	return matio.WriteRows(w, count, rows)
}

// writeStackVectors writes the vectors of an array, `count` for each matrix of order n, as
// numpy.linalg.eigh returns them: element (i, j) of a matrix is component i of vector j.
func writeStackVectors(w io.Writer, a matio.NamedStack, n, count int, s []batch.Spectrum) error {
	if a.Dims == 2 {
		v := s[0].Vectors
		return matio.WriteNPY(w, v.Rows, v.Cols, v.Data, v.Ld)
	}
	return matio.WriteStack(w, len(s), n, count, func(k int) []float64 { return s[k].Vectors.Data })
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
