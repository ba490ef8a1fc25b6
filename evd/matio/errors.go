package matio

import (
	"fmt"
	"math"
)

// A FormatError says that a file does not have the format that it should have, and where. All
// readers of this package return it, never wrapped, for errors in the content of a file. Errors of
// the stream are returned with the file's name. A FormatError prints as
//
//	demo.mtx:17: row "9" is outside 1 to 8
//	demo.npy: the file ends inside its elements
//
// so that editors can jump to the place.
type FormatError struct {
	File string // name, as the caller gave it
	Line int    // counted from 1, after decompression; 0 if the format has no lines (.npy)
	Msg  string // what is wrong
}

// Error returns "file:line: message".
func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// A TooLargeError says that the system has no memory for the matrix that a file describes, or that
// the matrix is larger than any that this package reads (8 TiB).
type TooLargeError struct {
	File string // name, as the caller gave it
	// Rows and Cols are the shape of the matrix. While a table is read, whose shape is not known
	// before its end, they are the line and the column that were reached.
	Rows, Cols int
}

// Error tells how much memory the matrix takes.
func (e *TooLargeError) Error() string {
	gib := float64(e.Rows) * float64(e.Cols) * wordBytes / (1 << 30)
	return fmt.Sprintf("%s: %d by %d elements take %.3g GiB, more than this system can provide", e.File, e.Rows, e.Cols, gib)
}

// A NotSquareError says that a matrix is not square although it must be: in Symmetric, Symmetrize,
// Mirror and ReadTridiagonal.
type NotSquareError struct{ Rows, Cols int }

func (e *NotSquareError) Error() string {
	return fmt.Sprintf("matrix is not square: %d rows, %d columns", e.Rows, e.Cols)
}

// A NotSymmetricError names the pair a_ij, a_ji with the largest |a_ij − a_ji|, i > j. Among equal
// differences it is the first pair by columns. ReadTridiagonal returns the first pair that differs.
type NotSymmetricError struct {
	Row, Col int // i and j, counted from 0
	// Diff is NaN if exactly one of the two elements is NaN. This counts as larger than all
	// numbers.
	Diff    float64 // |a_ij − a_ji|
	Largest float64 // max |a_ij| over the whole matrix, without NaN; 0 from ReadTridiagonal
}

// Rounding tells whether the difference can be a rounding error, which means at most
// 100·ε·max|a_ij|, ε = 2⁻⁵². Products such as XᵀX, and NumPy's corrcoef, stay far below that. A
// matrix that was printed with few digits, or that is not meant to be symmetric, is usually far
// above. Rounding is false for NaN, and if Largest is 0 or infinite.
func (e *NotSymmetricError) Rounding() bool {
	const epsilon = 0x1p-52
	return e.Diff <= 100*epsilon*e.Largest && e.Largest <= math.MaxFloat64
}

// Error counts rows and columns from 1, as the files do.
func (e *NotSymmetricError) Error() string {
	i, j := e.Row+1, e.Col+1
	return fmt.Sprintf("matrix is not symmetric: |a(%d,%d) − a(%d,%d)| = %.3g is the largest difference (rows and columns from 1)", i, j, j, i, e.Diff)
}
