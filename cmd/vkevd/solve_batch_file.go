package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/report"
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
	complex     bool // an array is complex, and then all are solved as complex ones
	wanted      part

	// notFinite has, by the number of the matrix, its first entry that is NaN or infinite. The
	// device reads only the lower triangle, and so may report another place.
	notFinite map[int]*evd.NonFiniteError
}

// readBatch reads a batchFile and makes its matrices symmetric, as the flags in `input` say. `b` is the
// path of the matrix B of pairs, or "". If `tridiagonal` is true, readBatch checks that each matrix has
// two rows. If triangles differ by rounding errors, readBatch prints a remark to the writer `log`.
func readBatch(
	ctx context.Context, file, b string, stdin io.Reader, input matrixInput, tridiagonal bool, log io.Writer,
) (*batchFile, error) {
	opt := input.options()
	read, readFile := opt.ReadEitherStacks, opt.ReadEitherStacksFile
	if tridiagonal {
		read, readFile = opt.ReadStacks, opt.ReadStacksFile
	}
	return cli.UnlessDone(ctx, func() (*batchFile, error) {
		s, err := cli.ReadFile(file, stdin, "a stack", read, readFile)
		if err != nil {
			return nil, err
		}
		f := &batchFile{Stacks: s, name: cli.InputName(file), tridiagonal: tridiagonal}
		if err := f.leaveOut(b, file); err != nil {
			return nil, err
		}
		f.complex = slices.ContainsFunc(s.All, isComplex)
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

// leaveOut removes the array of the matrix B from a .npz file that has it beside the matrices A. The
// paths are those of B and of the file.
func (f *batchFile) leaveOut(b, file string) error {
	if !f.Named || b == "" || !cli.SameFile(b, file) {
		return nil
	}
	names := strings.Fields(namesOfB)
	if _, array := matio.ArrayOf(b); array != "" {
		names = []string{array}
	} else if len(f.All) == 1 {
		names = []string{f.All[0].Name}
	}
	for _, name := range names {
		if i := slices.IndexFunc(f.All, func(a matio.NamedStack) bool { return a.Name == name }); i >= 0 {
			f.All = slices.Delete(f.All, i, i+1)
			break
		}
	}
	if len(f.All) == 0 {
		return fmt.Errorf("%s: the only array is B; no matrix A is left", f.name)
	}
	return nil
}

// symmetric makes all matrices of the file symmetric, as solve does with one matrix. A matrix with
// an entry that is NaN or infinite gets no result, so it need not be symmetric.
func (f *batchFile) symmetric(input matrixInput, log io.Writer) error {
	f.notFinite = map[int]*evd.NonFiniteError{}
	averaged, largest, k := 0, 0.0, 0
	for _, a := range f.All {
		for i := range a.Count {
			var d square
			var bad *evd.NonFiniteError
			if n := a.Rows; isComplex(a) {
				z := &matio.Complex{Rows: n, Cols: n, Data: a.Complex[i*n*n : (i+1)*n*n], Single: a.Single}
				d, bad = hermitian{z}, notFinite(input, n, z.Data)
			} else {
				r := &matio.Dense{Rows: n, Cols: n, Data: a.Data[i*n*n : (i+1)*n*n], Single: a.Single}
				d, bad = r, notFinite(input, n, r.Data)
			}
			difference, err := input.symmetric(d, false)
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

func isComplex(a matio.NamedStack) bool { return a.Complex != nil }

// notFinite returns the first entry in column order that is NaN or infinite, or nil. A triangle
// that --uplo ignores does not count.
func notFinite[T float64 | complex128](m matrixInput, n int, a []T) *evd.NonFiniteError {
	for i, x := range a {
		if x-x == 0 {
			continue
		}
		row, col := i%n, i/n
		if ignored := m.uplo == "lower" && row < col || m.uplo == "upper" && row > col; !ignored {
			return &evd.NonFiniteError{Row: row, Col: col, Value: badPart(x)}
		}
	}
	return nil
}

// badPart returns the part of x that is NaN or infinite.
func badPart[T float64 | complex128](x T) float64 {
	z, complex := any(x).(complex128)
	switch {
	case !complex:
		return any(x).(float64)
	case real(z)-real(z) != 0:
		return real(z)
	}
	return imag(z)
}

// complete completes the errors of the results. An error about an entry that is not finite names
// the first such entry of the file, and counts rows and columns from 1. The results have the number
// type of the file. If it is float32, a value that is a finite double may be too large for it,
// which is an error.
func (f *batchFile) complete(res *batch.Result[float64]) {
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

// overflow32 returns an error about the first value that is beyond the largest float32, or nil.
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

// stored tells whether all matrices of the file are in single precision.
func (f *batchFile) stored() bool {
	return !slices.ContainsFunc(f.All, func(a matio.NamedStack) bool { return !a.Single })
}

// round changes the precision of all matrices to single precision. The error is a *singleRangeError
// if a matrix is beyond the range of single precision. The numbers themselves are rounded later,
// when they are copied to the device.
func (f *batchFile) round() error {
	first := 0
	for i := range f.All {
		a := &f.All[i]
		n := a.Rows * a.Cols
		for k := range a.Count {
			name := f.name + ": matrix " + f.label(first+k)
			var err error
			if isComplex(*a) {
				err = singleRange(name, a.Single, &matio.Complex{Rows: a.Rows, Cols: a.Cols, Data: a.Complex[k*n : (k+1)*n]})
			} else {
				err = singleRange(name, a.Single, &matio.Dense{Rows: a.Rows, Cols: a.Cols, Data: a.Data[k*n : (k+1)*n]})
			}
			if err != nil {
				return err
			}
		}
		first += a.Count
		a.Single = true
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

func (f *batchFile) hermitians() (all []machine.HermitianMatrix) {
	for _, a := range f.All {
		data := a.Complex
		if !isComplex(a) {
			for _, x := range a.Data {
				data = append(data, complex(x, 0))
			}
		}
		for k := range a.Count {
			all = append(all, evd.NewSym(a.Rows, data[k*a.Rows*a.Rows:][:a.Rows*a.Rows], evd.Lower))
		}
	}
	return all
}

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
			continue // a stack without matrices gets no plan: its order may be impossible
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

// archiveEnding is the ending of file names for results of a .npz file: such results have one array
// for each array of the input.
const archiveEnding = ".npz"

func (j *solveJob) batchEndings(endings []string) []string {
	if !j.batch {
		return endings
	}
	return append(slices.Clone(endings), archiveEnding)
}

// vectorsEndings returns the endings that the name of a file of vectors may have. The ending .mtx
// is one of them only if there is one matrix, and one process solves it.
func (j *solveJob) vectorsEndings() []string {
	if j.batch || j.engine != vulkanEngine {
		return j.batchEndings([]string{".npy"})
	}
	return cli.VectorsEndings
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

func (w *batchWork[M]) Write(ctx context.Context, out *cli.Outputs) error {
	f, res := w.f, w.res
	return errors.Join(
		out.Write(ctx, w.values, func(to io.Writer) error {
			switch cli.Ending(w.values) {
			case ".npy", archiveEnding:
				return f.Write(to, res, false)
			}
			return f.writeLines(to, res)
		}),
		out.Write(ctx, w.vectors, func(to io.Writer) error { return f.Write(to, res, true) }))
}

// Write writes the values or the vectors, with one array for each array of the input and in its
// precision. The output is a .npz file with the names of the arrays, or a .npy file if the input
// has no names.
func (f *batchFile) Write(w io.Writer, res *batch.Result[float64], vectors bool) error {
	array := func(w io.Writer, a matio.NamedStack, s []batch.Spectrum[float64]) error {
		switch {
		case !vectors && a.Single:
			return writeValueStack(f, w, a, s, singles)
		case !vectors:
			return writeValueStack(f, w, a, s, doubles)
		case f.complex && a.Single:
			return writeVectorStack(f, w, a, s, machine.Pairs[complex64])
		case f.complex:
			return writeVectorStack(f, w, a, s, machine.Pairs[complex128])
		case a.Single:
			return writeVectorStack(f, w, a, s, singles)
		}
		return writeVectorStack(f, w, a, s, doubles)
	}
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

// writeVectorStack writes the vectors of one array of the input, in the form of numpy.linalg.eigh.
// The result for a stack has one dimension more than that for a matrix. Element (i, j) of a matrix
// of vectors is component i of vector j. The function `as` converts to the type of the array.
func writeVectorStack[T evd.Number](f *batchFile, w io.Writer, a matio.NamedStack, s []batch.Spectrum[float64], as func([]float64) []T) error {
	n := f.Order(a)
	if a.Dims == 2 {
		return matio.WriteNPY(w, n, s[0].Vectors.Cols, as(s[0].Vectors.Data), max(n, 1))
	}
	return matio.WriteStack(w, len(s), n, f.wanted.count(n), func(k int) []T { return as(s[k].Vectors.Data) })
}

// writeValueStack writes the values of one array of the input, as numpy.linalg.eigvalsh returns
// them.
func writeValueStack[T evd.Float](f *batchFile, w io.Writer, a matio.NamedStack, s []batch.Spectrum[float64], as func([]float64) []T) error {
	if a.Dims == 2 {
		return matio.WriteNPYVector(w, as(s[0].Values))
	}
	rows := make([][]T, len(s))
	for k, x := range s {
		rows[k] = as(x.Values)
	}
	return matio.WriteRows(w, f.wanted.count(f.Order(a)), rows)
}

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
func (f *batchFile) writeLines(w io.Writer, res *batch.Result[float64]) error {
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

// batchFacts is the content of the report of solve --batch. If a field of batchFacts and a field of
// Facts have the same name in JSON, the report has the field of batchFacts.
type batchFacts struct {
	*report.Facts
	First    *int           `json:"first,omitempty"` // never set: the first index may differ between matrices
	Least    int            `json:"n_min"`           // smallest order; the largest is n
	Matrices int            `json:"matrices"`
	Values   int            `json:"values"` // of all matrices together
	Failed   []failedMatrix `json:"failed,omitempty"`
}

type failedMatrix struct {
	Matrix string `json:"matrix"` // as in the messages: K, or K[3], or 3
	Error  string `json:"error"`
}

func (f *batchFile) Report(known *report.Facts, res *batch.Result[float64]) batchFacts {
	r := batchFacts{Facts: known, Matrices: f.count()}
	r.Least, r.N = f.orders()
	for k, s := range res.Spectra {
		r.Values += len(s.Values)
		if s.Err != nil {
			r.Failed = append(r.Failed, failedMatrix{f.label(k), s.Err.Error()})
		}
	}
	return r
}

func (r batchFacts) Write(w io.Writer) error { return cli.WriteJSON(w, r) }
