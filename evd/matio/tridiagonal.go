package matio

import "io"

// A Tridiagonal is a symmetric tridiagonal matrix of order len(D). D[i] is element (i, i). E[i] is
// both element (i, i+1) and element (i+1, i). Indices count from 0. E has one element less than D,
// or none if D is empty.
type Tridiagonal struct {
	D, E []float64

	// Table says how a text of diagonals was read. It is nil for other formats.
	Table *Table
}

func ReadTridiagonalFile(path string) (*Tridiagonal, error) {
	return Options{}.ReadTridiagonalFile(path)
}

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
//   - Text of Octave and Armadillo: a matrix of the shapes of .npy.
//   - Text of two columns, d and e, one row per line.
//   - Text in the format of LAPACK's STCollection: first the order, then lines of i, d and e, or of
//     d and e. The order of the lines counts, because some of these files number them wrongly.
//
// The last element of a column E has no meaning and may be missing. Numbers in text are separated
// by blanks, tabs, commas or semicolons. A first line of names is skipped, and so are lines that
// begin with % or #. An array of 2×2 numbers is a matrix, and not D and E. A file called .mtx or
// .mtx.gz must have Matrix Market's banner, unless its content has another format with a beginning
// of its own, such as .npy.
//
// Errors are *FormatError, *AmbiguousError and *TooLargeError, errors that wrap *NotSquareError or
// *NotSymmetricError, and those of the reader `r`.
func ReadTridiagonal(r io.Reader, name string) (*Tridiagonal, error) {
	return Options{}.ReadTridiagonal(r, name)
}

func (o Options) ReadTridiagonal(r io.Reader, name string) (*Tridiagonal, error) {
	return packedOrPlain(r, name, o.packedTridiagonal, o.plainTridiagonal)
}

// plainTridiagonal reads a tridiagonal matrix from a file in any format except .npz.
func (o Options) plainTridiagonal(in *input) (*Tridiagonal, error) {
	o.Square = true // the shape of triplets
	if c, err := o.marked(in); c != nil || err != nil {
		return tridiagonalOf(c, err)
	}
	if err := mayBeText(in); err != nil {
		return nil, err
	}
	return o.readDiagonals(in)
}

// packedTridiagonal reads the array that the options name, or the first of these that the archive
// has: two vectors D and E, a sparse matrix, or one array.
func (o Options) packedTridiagonal(z *archive) (*Tridiagonal, error) {
	has := func(d, e string) bool { return o.Array == "" && z.member(d) != nil && z.member(e) != nil }
	switch small, capital := has("d", "e"), has("D", "E"); {
	case small && capital:
		return nil, z.errorf("the archive has d and e, and also D and E")
	case small:
		return z.diagonals("d", "e")
	case capital:
		return z.diagonals("D", "E")
	}
	return tridiagonalOf(o.packed(z))
}

// diagonals reads the vectors D and E of the archive. E has one element less than D, or as many as
// D. In the second case its last element has no meaning.
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
		return nil, z.errorf("%s has %d elements, %s has %d", diagonal, n, off, len(e))
	}
	return &Tridiagonal{D: d, E: e[:max(0, n-1)]}, nil
}
