package matio

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// A FormatError says what is wrong with the format of a file, and on which line. All readers of
// this package return a *FormatError, never wrapped, for errors in the content of a file, except
// for those that have a type of their own: see below, and AmbiguousError. Errors of the stream are
// other errors, with the file's name added. A FormatError prints as
//
//	demo.mtx:17: row "9" is outside 1 to 8
//	demo.npy: the file ends inside its elements
//
// Editors can jump to a place in this form.
type FormatError struct {
	File string // name, as the caller gave it
	Line int    // counted from 1, after decompression; 0 if the format has no lines (.npy)
	Msg  string // what is wrong
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// A TooLargeError says that the system has no memory for the matrix that a file describes, or that
// the matrix has more elements than this package can read (2⁴⁰, which are 8 TiB).
type TooLargeError struct {
	File string // name, as the caller gave it
	// Rows and Cols are the shape of the matrix. The shape of a table is not known before its end.
	// For an incomplete table they are the line and the column that the reader has reached.
	Rows, Cols int
	Complex    bool // the elements are complex: 16 bytes each
}

func (e *TooLargeError) Error() string {
	gib := float64(e.Rows) * float64(e.Cols) * memory.WordBytes / (1 << 30)
	if e.Complex {
		gib *= 2
	}
	return fmt.Sprintf("%s: %d by %d elements take %.3g GiB, more than this system can provide", e.File, e.Rows, e.Cols, gib)
}

// A NotSquareError says that a matrix must be square, but is not. Symmetric, Hermitian, Symmetrize,
// Mirror and ReadTridiagonal return it, and so do readers of one triangle.
type NotSquareError struct{ Rows, Cols int }

func (e *NotSquareError) Error() string {
	count := func(n int, name string) string {
		if n == 1 {
			return "1 " + name
		}
		return fmt.Sprintf("%d %ss", n, name)
	}
	return "matrix is not square: " + count(e.Rows, "row") + ", " + count(e.Cols, "column")
}

// A NotSymmetricError names the pair of elements a_ij, a_ji, i > j, with the largest difference
// |a_ij − a_ji|. If several pairs have this difference, the error names the first of them in
// column-major order. For a complex matrix it names the largest difference |a_ij − conj a_ji|, i ≥
// j.
type NotSymmetricError struct {
	Row, Col int // i and j, counted from 0
	// Diff is NaN if exactly one of the two elements is NaN. NaN counts as larger than every
	// number.
	Diff    float64 // |a_ij − a_ji|, or |a_ij − conj a_ji|
	Largest float64 // max |a_ij| over the whole matrix, without NaN; of complex matrices the largest part
	Single  bool    // Dense.Single, Complex.Single
	// Complex says that the matrix is complex. Transposed says that the matrix equals its
	// transpose, up to rounding errors: it is complex symmetric and not Hermitian.
	Complex, Transposed bool
}

// Rounding reports whether the difference can be a rounding error: at most 100·ε·max|a_ij|, where ε
// is 2⁻⁵², or 2⁻²³ if the file stored single precision. Differences in products such as XᵀX, and in
// NumPy's corrcoef, are far below this limit. Differences in a matrix that was printed with few
// digits, or that is not meant to be symmetric, are usually far above. Rounding returns false if
// the difference is NaN, and if Largest is 0 or infinite.
func (e *NotSymmetricError) Rounding() bool {
	epsilon := 0x1p-52
	if e.Single {
		epsilon = 0x1p-23
	}
	return e.Diff <= 100*epsilon*e.Largest && e.Largest <= math.MaxFloat64
}

// Error returns a text in which rows and columns are counted from 1, as in Matrix Market files.
func (e *NotSymmetricError) Error() string {
	i, j := e.Row+1, e.Col+1
	what, conj := "matrix is not symmetric", ""
	switch {
	case e.Transposed:
		what, conj = "matrix is complex symmetric, not Hermitian, so its eigenvalues are not real", "conj "
	case e.Complex:
		what, conj = "matrix is not Hermitian", "conj "
	}
	if i == j {
		return fmt.Sprintf("%s: |Im a(%d,%d)| = %.3g is the largest difference (rows and columns from 1)", what, i, j, e.Diff/2)
	}
	return fmt.Sprintf("%s: |a(%d,%d) − %sa(%d,%d)| = %.3g is the largest difference (rows and columns from 1)", what, i, j, conj, j, i, e.Diff)
}
