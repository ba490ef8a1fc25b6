package main

import (
	"context"
	"fmt"
	"io"
	"math"

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
}

// readBatch reads a batchFile and checks that its matrices are symmetric or, if `tridiagonal` is
// true, that each of them has two rows.
func readBatch(ctx context.Context, file string, stdin io.Reader, opt matio.Options, tridiagonal bool) (*batchFile, error) {
	return unlessDone(ctx, func() (*batchFile, error) {
		s, err := readFile(file, stdin, "a stack", opt.ReadStacks, opt.ReadStacksFile)
		if err != nil {
			return nil, err
		}
		f := &batchFile{s, inputName(file), tridiagonal}
		for _, a := range f.All {
			if tridiagonal {
				if a.Rows != 2 {
					return nil, fmt.Errorf("%sthe matrices have %d rows, not 2: a diagonal and an off-diagonal", f.about(a), a.Rows)
				}
				continue
			}
			if a.Rows != a.Cols {
				return nil, fmt.Errorf("%sthe matrices are %d by %d, not square", f.about(a), a.Rows, a.Cols)
			}
		}
		if tridiagonal {
			return f, nil
		}
		for k, a := range f.matrices() {
			if i, j, ok := asymmetric(a.N, a.Data); ok {
				return nil, fmt.Errorf("%s: matrix %s is not symmetric: elements (%d, %d) and (%d, %d) differ (indices from 0)",
					f.name, f.label(k), i, j, j, i)
			}
		}
		return f, nil
	})
}

// about returns the beginning of an error message about an array of the file: the names of the file
// and of the array.
func (f *batchFile) about(a matio.NamedStack) string {
	if !f.Named {
		return f.name + ": "
	}
	return f.name + ": " + a.Name + ": "
}

// asymmetric searches for elements (i, j) and (j, i) whose difference is larger than rounding
// errors, that is larger than 100·ε·max|a|.
func asymmetric(n int, a []float64) (i, j int, found bool) {
	largest := 0.0
	for _, x := range a[:n*n] {
		largest = max(largest, math.Abs(x)) // NaN if an element is NaN: then no difference is larger
	}
	for j := range n {
		for i := j + 1; i < n; i++ {
			if math.Abs(a[i+j*n]-a[j+i*n]) > 100*ulp*largest {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// matrices returns all matrices of the file, in the order of the file.
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

// order returns the order of the matrices of an array of the file.
func (f *batchFile) order(a matio.NamedStack) int {
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
				return printable(a.Name)
			}
			return fmt.Sprintf("%s[%d]", printable(a.Name), k)
		}
		k -= a.Count
	}
	return ""
}

// orders returns the smallest and the largest order of the matrices in the file.
func (f *batchFile) orders() (least, most int) {
	for i, a := range f.All {
		if i == 0 {
			least = f.order(a)
		}
		least, most = min(least, f.order(a)), max(most, f.order(a))
	}
	return least, most
}

// count is the number of matrices.
func (f *batchFile) count() (sum int) {
	for _, a := range f.All {
		sum += a.Count
	}
	return sum
}

// groups divides the matrices of the file into groups. In one group, the wanted eigenvalues have
// the same indices in every matrix.
func (f *batchFile) groups(wanted part) (all []batchGroup, _ error) {
	at := map[evd.Selection]int{}
	first := 0
	for _, a := range f.All {
		part, err := wanted.of(f.order(a))
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
		g.most = max(g.most, f.order(a))
		for range a.Count {
			g.index = append(g.index, first)
			first++
		}
	}
	return all, nil
}
