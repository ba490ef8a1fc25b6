package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matio"
)

// A batchFile is a file with many symmetric matrices: one stack without a name, or the arrays of a
// .npz file, each a matrix or a stack. A tridiagonal matrix has two rows in the file: its diagonal,
// and its off-diagonal with one further element.
type batchFile struct {
	*matio.Stacks
	name        string // of the file, in errors
	tridiagonal bool
	wanted      part

	// notFinite has, by the number of the matrix, its first entry that is NaN or infinite. The device
	// reads only the lower triangle, and so may report another place.
	notFinite map[int]*evd.NonFiniteError
}

// readBatch reads a batchFile and makes its matrices symmetric, as the flags in `input` say. If
// `tridiagonal` is true, it checks that each of them has two rows. If triangles differ by rounding
// errors, readBatch prints a remark to the writer `log`.
func readBatch(
	ctx context.Context, file string, stdin io.Reader, input matrixInput, tridiagonal bool, log io.Writer,
) (*batchFile, error) {
	opt := input.options()
	return cli.UnlessDone(ctx, func() (*batchFile, error) {
		s, err := cli.ReadFile(file, stdin, "a stack", opt.ReadStacks, opt.ReadStacksFile)
		if err != nil {
			return nil, err
		}
		f := &batchFile{Stacks: s, name: cli.InputName(file), tridiagonal: tridiagonal}
		for _, a := range f.All {
			if tridiagonal {
				if a.Rows != 2 {
					return nil, fmt.Errorf("%sthe matrices have %d rows, not 2: a diagonal and an off-diagonal", f.about(a), a.Rows)
				}
				continue
			}
			if a.Rows != a.Cols {
				return nil, fmt.Errorf("%sthe matrices are %d by %d, not square; vkevd svd takes one matrix of any shape", f.about(a), a.Rows, a.Cols)
			}
		}
		if tridiagonal {
			return f, nil
		}
		return f, f.symmetric(input, log)
	})
}

// symmetric makes all matrices of the file symmetric, as solve does with one matrix. A matrix with an
// entry that is NaN or infinite gets no result, so it does not matter that it is not symmetric.
func (f *batchFile) symmetric(input matrixInput, log io.Writer) error {
	f.notFinite = map[int]*evd.NonFiniteError{}
	averaged, largest, k := 0, 0.0, 0
	for _, a := range f.All {
		for i := range a.Count {
			d := &matio.Dense{Rows: a.Rows, Cols: a.Rows, Data: a.Data[i*a.Rows*a.Rows : (i+1)*a.Rows*a.Rows], Single: a.Single}
			bad := input.notFinite(d)
			difference, err := input.symmetric(d)
			if bad != nil {
				f.notFinite[k], err = bad, d.Symmetrize()
			}
			if err != nil {
				return fmt.Errorf("%s: matrix %s: %w", f.name, f.label(k), err)
			}
			if difference > 0 {
				averaged, largest = averaged+1, max(largest, difference)
			}
			k++
		}
	}
	if averaged > 0 {
		fmt.Fprintf(log, "%s: %s symmetric up to rounding errors of %.2g at most, which are averaged\n",
			cli.Printable(f.name), are(averaged), largest)
	}
	return nil
}

func are(count int) string {
	if count == 1 {
		return cli.Matrices(count) + " is"
	}
	return cli.Matrices(count) + " are"
}

// notFinite returns the first entry in column order that is NaN or infinite, or nil. A triangle that
// --uplo ignores does not count.
func (m matrixInput) notFinite(d *matio.Dense) *evd.NonFiniteError {
	for i, x := range d.Data {
		if x-x == 0 {
			continue
		}
		row, col := i%d.Rows, i/d.Rows
		if ignored := m.uplo == "lower" && row < col || m.uplo == "upper" && row > col; !ignored {
			return &evd.NonFiniteError{Row: row, Col: col, Value: x}
		}
	}
	return nil
}

// complete completes the errors of the results. In errors about entries that are not finite, rows and
// columns count from 1, and the entry is one of the file. A value that is in the range of doubles may
// be beyond that of float32, the type of the file and so of the results.
func (f *batchFile) complete(res *batch.Result) {
	k := 0
	for _, a := range f.All {
		for range a.Count {
			s := &res.Spectra[k]
			var bad *evd.NonFiniteError
			switch {
			case errors.As(s.Err, &bad):
				if f.notFinite[k] != nil {
					bad = f.notFinite[k]
				}
				s.Err = aboutEntry(bad, "eigenvalues")
			case s.Err == nil && a.Single:
				s.Err = f.overflow32(f.Order(a), s.Values)
			}
			k++
		}
	}
}

// overflow32 returns an *evd.OverflowError if a value is beyond the largest float32, and nil
// otherwise. The values are those that the user wants of a matrix of order n.
func (f *batchFile) overflow32(n int, values []float64) error {
	for i, x := range values {
		if math.IsInf(float64(float32(x)), 0) {
			first := 0
			if !f.wanted.all() {
				first, _, _ = f.wanted.indices(n)
			}
			count := 0
			for _, y := range values {
				if math.IsInf(float64(float32(y)), 0) {
					count++
				}
			}
			return &evd.OverflowError{Index: first + i, Count: count, Negative: x < 0, Single: true}
		}
	}
	return nil
}

func (f *batchFile) about(a matio.NamedStack) string {
	if !f.Named {
		return f.name + ": "
	}
	return f.name + ": " + a.Name + ": "
}

func (f *batchFile) matrices() (all []evd.Sym[float64]) {
	for _, a := range f.All {
		all = append(all, batch.Stack(a.Rows, a.Count, a.Data, evd.Lower)...)
	}
	return all
}

// tridiagonals returns all matrices of the file, in the order of the file, if they are tridiagonal.
func (f *batchFile) tridiagonals() (all []evd.Tridiagonal[float64]) {
	for _, a := range f.All {
		n := a.Cols
		for k := range a.Count {
			host := make([]float64, 2*n)
			t := evd.Tridiagonal[float64]{D: host[:n], E: host[n:]}
			for i := range n {
				t.D[i], t.E[i] = a.Data[2*(k*n+i)], a.Data[2*(k*n+i)+1]
			}
			all = append(all, t)
		}
	}
	return all
}

func (f *batchFile) Order(a matio.NamedStack) int {
	if f.tridiagonal {
		return a.Cols
	}
	return a.Rows
}

// label is the name of matrix k for users: its number in a stack without a name, or NAME or
// NAME[NUMBER] in a .npz file.
func (f *batchFile) label(k int) string {
	if !f.Named {
		return fmt.Sprint(k)
	}
	for _, a := range f.All {
		if k < a.Count {
			if a.Dims == 2 {
				return cli.Printable(a.Name)
			}
			return fmt.Sprintf("%s[%d]", cli.Printable(a.Name), k)
		}
		k -= a.Count
	}
	return ""
}

// orders returns the smallest and the largest order of the matrices in the file.
func (f *batchFile) orders() (least, most int) {
	for i, a := range f.All {
		if i == 0 {
			least = f.Order(a)
		}
		least, most = min(least, f.Order(a)), max(most, f.Order(a))
	}
	return least, most
}

func (f *batchFile) count() (sum int) {
	for _, a := range f.All {
		sum += a.Count
	}
	return sum
}

// groups divides the matrices of the file into groups. In one group, the wanted eigenvalues have
// the same indices in every matrix.
func (f *batchFile) groups(wanted part) (all []batchGroup, _ error) {
	f.wanted = wanted
	at := map[evd.Selection]int{}
	first := 0
	for _, a := range f.All {
		part, err := wanted.of(f.Order(a))
		if err != nil {
			return nil, fmt.Errorf("%s%w", f.about(a), err)
		}
		if a.Count == 0 {
			continue // no plan: the order of no matrix may be impossible
		}
		i, known := at[part]
		if !known {
			i = len(all)
			at[part] = i
			all = append(all, batchGroup{part: part})
		}
		g := &all[i]
		g.most = max(g.most, f.Order(a))
		for range a.Count {
			g.index = append(g.index, first)
			first++
		}
	}
	return all, nil
}
