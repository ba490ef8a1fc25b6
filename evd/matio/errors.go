package matio

import "fmt"

// A FormatError says where a file stops being what it claims to be.
type FormatError struct {
	File string
	Line int // counted from 1, after decompression; 0 where lines mean nothing (.npy)
	Msg  string
}

func (e *FormatError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// A TooLargeError says that the system has no memory for the matrix a file describes.
type TooLargeError struct {
	File       string
	Rows, Cols int
}

func (e *TooLargeError) Error() string {
	gib := float64(e.Rows) * float64(e.Cols) * wordBytes / (1 << 30)
	return fmt.Sprintf("%s: %d by %d elements take %.3g GiB, more than this system gives", e.File, e.Rows, e.Cols, gib)
}

// A NotSquareError is Symmetric's answer about a matrix that cannot be symmetric at all.
type NotSquareError struct{ Rows, Cols int }

func (e *NotSquareError) Error() string {
	return fmt.Sprintf("matrix is not square: %d rows, %d columns", e.Rows, e.Cols)
}

// A NotSymmetricError names the pair a_ij, a_ji with the largest |a_ij − a_ji|, i > j.
type NotSymmetricError struct {
	Row, Col int     // i and j, counted from 0
	Diff     float64 // NaN when exactly one of the two is NaN, which no pair exceeds
	Largest  float64 // max |a_ij| over the whole matrix
}

// Rounding tells whether the difference is what rounding leaves behind: at most 100·ε·max|a_ij|,
// with ε = 2⁻⁵². Products such as XᵀX and NumPy's corrcoef stay far below that.
func (e *NotSymmetricError) Rounding() bool {
	const epsilon = 0x1p-52
	return e.Diff <= 100*epsilon*e.Largest
}

func (e *NotSymmetricError) Error() string {
	i, j := e.Row+1, e.Col+1
	return fmt.Sprintf("matrix is not symmetric: |a(%d,%d) − a(%d,%d)| = %.3g is the largest difference (rows and columns from 1)", i, j, j, i, e.Diff)
}
