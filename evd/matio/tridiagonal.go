package matio

import (
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// A Tridiagonal is a symmetric tridiagonal matrix of order len(D). D[i] is element (i, i). E[i] is
// both element (i, i+1) and element (i+1, i). Indices count from 0. E has one element less than D,
// or none if D is empty.
type Tridiagonal struct {
	D, E []float64

	// Table says how a text of diagonals was read. It is nil for other formats.
	Table *Table
}

// ReadTridiagonalFile opens a file and calls ReadTridiagonal. Errors of the operating system are
// returned as they are.
func ReadTridiagonalFile(path string) (*Tridiagonal, error) {
	return Options{}.ReadTridiagonalFile(path)
}

// ReadTridiagonalFile reads a tridiagonal matrix from a file, as the function ReadTridiagonalFile
// does, but with the options o.
func (o Options) ReadTridiagonalFile(path string) (*Tridiagonal, error) {
	path, o = o.arrayOf(path)
	return fromFile(path, o.ReadTridiagonal)
}

// ReadTridiagonal reads a symmetric tridiagonal matrix. The content decides the format, and gzip is
// unpacked. `name` stands for the file in errors. The formats are:
//
//   - Matrix Market: a square symmetric matrix (declared so or not) with zeros outside the three
//     diagonals; or an array of two columns, D and E.
//   - .npy, .npz: a square matrix; two columns, D and E; or two rows, D and E, the lower form of
//     scipy.linalg.eig_banded.
//   - .npz: two vectors called d and e, or D and E; a matrix of scipy.sparse.save_npz.
//   - Text of two columns, d and e, one row per line.
//   - Text in the format of LAPACK's STCollection: first the order, then lines of i, d and e, or of
//     d and e. The order of the lines counts, because some of these files number them wrongly.
//
// The last element of a column E has no meaning and may be missing. Numbers in text are separated
// by blanks, commas or semicolons. A first line of names is skipped, and so are lines that begin
// with % or #. An array of 2×2 numbers is a matrix, and not D and E. A file called .mtx or .mtx.gz
// must have Matrix Market's banner, unless its content is .npy or .npz.
//
// Errors are *FormatError and *TooLargeError, errors that wrap *NotSquareError or
// *NotSymmetricError, and those of the reader `r`.
func ReadTridiagonal(r io.Reader, name string) (*Tridiagonal, error) {
	return Options{}.ReadTridiagonal(r, name)
}

// ReadTridiagonal reads a tridiagonal matrix from a stream, as the function ReadTridiagonal does,
// but with the options o.
func (o Options) ReadTridiagonal(r io.Reader, name string) (*Tridiagonal, error) {
	return readEither(r, name, o.tridiagonalFromZip, o.readTridiagonal)
}

// readTridiagonal reads a tridiagonal matrix from a file in any format except .npz.
func (o Options) readTridiagonal(in *input) (*Tridiagonal, error) {
	o.Square = true // the shape of triplets
	if d, err := o.readMarked(in); err != nil {
		return nil, err
	} else if d != nil {
		return d.tridiagonal(in.file)
	}
	if m, err := o.market(in, memory.MostElements); err != nil {
		return nil, err
	} else if m != nil {
		return m.readTridiagonal()
	}
	if err := mayBeText(in); err != nil {
		return nil, err
	}
	return o.readDiagonals(in)
}

// tridiagonalFromZip reads the array that the options name, or the first of these that the archive
// has: two vectors D and E, a sparse matrix, or one array.
func (o Options) tridiagonalFromZip(z *archive) (*Tridiagonal, error) {
	if o.Array == "" {
		small := z.member("d") != nil && z.member("e") != nil
		capital := z.member("D") != nil && z.member("E") != nil
		switch {
		case small && capital:
			return nil, &FormatError{z.name, 0, "the archive has d and e, and also D and E"}
		case small:
			return z.diagonals("d", "e")
		case capital:
			return z.diagonals("D", "E")
		}
		if z.isSparse() {
			s, err := z.readSparse()
			if err != nil {
				return nil, err
			}
			return s.tridiagonal()
		}
	}
	d, err := o.fromZip(z)
	if err != nil {
		return nil, err
	}
	return d.tridiagonal(z.name)
}

// diagonals reads the vectors D and E of the archive. E has one element less than D, or as many.
// Then its last element has no meaning.
func (z *archive) diagonals(diagonal, off string) (*Tridiagonal, error) {
	d, err := z.vector(diagonal)
	if err != nil {
		return nil, err
	}
	e, err := z.vector(off)
	if err != nil {
		return nil, err
	}
	n := len(d)
	if len(e) != n && len(e) != max(0, n-1) {
		return nil, &FormatError{z.name, 0, fmt.Sprintf("%s has %d elements, %s has %d", diagonal, n, off, len(e))}
	}
	return &Tridiagonal{D: d, E: e[:max(0, n-1)]}, nil
}

// tridiagonal takes D and E out of a matrix. The shape of the matrix decides what the matrix means:
//
//	n×2, n ≠ 2   the columns D and E; the last element of E is not used
//	2×n, n ≠ 2   the rows D and E; the last element of E is not used
//	n×n          a tridiagonal matrix, with both triangles
//	otherwise    an error that wraps *NotSquareError
//
// The result may share memory with d.
func (d *Dense) tridiagonal(name string) (*Tridiagonal, error) {
	n := d.Rows
	if d.Cols == 2 && n != 2 {
		return &Tridiagonal{D: d.Data[:n], E: d.Data[n : n+max(0, n-1)]}, nil
	}
	if n == 2 && d.Cols != 2 {
		both, ok := memory.Allocate[float64](2 * d.Cols)
		if !ok {
			return nil, &TooLargeError{name, n, d.Cols}
		}
		t := &Tridiagonal{D: both[:d.Cols], E: both[d.Cols:][:max(0, d.Cols-1)]}
		for j := range d.Cols {
			if t.D[j] = d.Data[2*j]; j < len(t.E) {
				t.E[j] = d.Data[2*j+1]
			}
		}
		return t, nil
	}
	t, err := newTridiagonal(name, n, d.Cols)
	if err != nil {
		return nil, err
	}
	for j := range n {
		for i, x := range d.Data[j*n : (j+1)*n] {
			if err := t.put(i, j, x); err != nil {
				return nil, &FormatError{name, 0, err.Error()}
			}
		}
	}
	return t.whole()
}

// readTridiagonal reads a tridiagonal matrix from a Matrix Market file, from the size line on. For
// a coordinate file it needs only memory of order n. An array file is first read as a Dense matrix.
func (m *market) readTridiagonal() (*Tridiagonal, error) {
	file := m.in.file
	if err := m.readSize(); err != nil {
		return nil, err
	}
	if m.array {
		if err := m.readArray(); err != nil {
			return nil, err
		}
		if err := m.end(); err != nil {
			return nil, err
		}
		return m.out.tridiagonal(file)
	}
	t, err := newTridiagonal(file, m.out.Rows, m.out.Cols)
	if err != nil {
		return nil, err
	}
	err = m.eachEntry(func(i, j int, x float64) error {
		if err := t.put(i, j, x); err != nil {
			return m.errorf("%v", err)
		}
		// A symmetric file lists one triangle, so the entry also stands for its mirror image.
		if m.symmetric && i > j {
			t.upper[j] += x
		}
		if m.skew {
			t.upper[j] -= x
		}
		return nil
	})
	if err == nil {
		err = m.end()
	}
	if err != nil {
		return nil, err
	}
	return t.whole()
}

// scattered collects the entries of a tridiagonal matrix, which come in any order and are added up.
// An entry may come before or after its mirror image, so the two triangles are collected
// separately.
type scattered struct {
	Tridiagonal
	upper []float64 // elements (i, i+1), which must be equal to E in the end
	file  string    // name, for errors
}

// newTridiagonal returns a tridiagonal matrix of zeros, or an error if it is not square or too
// large.
func newTridiagonal(file string, rows, cols int) (*scattered, error) {
	if rows != cols {
		return nil, fmt.Errorf("%s: %w", file, &NotSquareError{rows, cols})
	}
	all, ok := memory.Allocate[float64](3 * rows)
	if !ok {
		return nil, &TooLargeError{file, rows, 3}
	}
	off := max(0, rows-1)
	return &scattered{Tridiagonal{D: all[:rows:rows], E: all[rows:][:off:off]}, all[2*rows:][:off], file}, nil
}

// put adds x to element (i, j), counted from 0, which must be inside the matrix. The error does not
// have the name of the file.
func (t *scattered) put(i, j int, x float64) error {
	switch {
	case i == j:
		t.D[i] += x
	case i == j+1:
		t.E[j] += x
	case j == i+1:
		t.upper[i] += x
	case x != 0: // NaN, too
		return fmt.Errorf("entry (%d,%d) is outside the three diagonals (rows and columns from 1)", i+1, j+1)
	}
	return nil
}

// whole returns the collected matrix. Elements (i+1, i) and (i, i+1) must be equal or both NaN.
// Otherwise the error wraps a *NotSymmetricError about the largest difference.
func (t *scattered) whole() (*Tridiagonal, error) {
	var worst *NotSymmetricError
	for i, x := range t.E {
		y := t.upper[i]
		if x == y || x != x && y != y {
			continue
		}
		if e := (&NotSymmetricError{Row: i + 1, Col: i, Diff: math.Abs(x - y)}); worst == nil || e.exceeds(worst) {
			worst = e
		}
	}
	if worst == nil {
		return &t.Tridiagonal, nil
	}
	worst.Largest = max(largest(t.D), largest(t.E), largest(t.upper))
	return nil, fmt.Errorf("%s: %w", t.file, worst)
}
