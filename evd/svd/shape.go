package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
)

// side names the left or the right singular vectors of the matrix on the device. This matrix is the
// caller's matrix or its transpose, and has at least as many rows as columns.
type side int

const (
	left side = iota
	right
)

// shape describes what a solve computes of the matrix on the device.
type shape struct {
	rows, cols int  // rows ≥ cols
	tall       bool // whether a QR factorisation comes first
	k          int  // number of singular values that are wanted

	// wants says which vectors of each side are wanted. A square matrix may be stored as its
	// transpose, which exchanges the sides. So for square matrices wants has the larger demand on
	// both sides, which determines the memory.
	wants [2]Vectors
}

// newShape returns the shape for the caller's m×n matrices.
func newShape(m, n int, o Options, t tuning.Tuning) shape {
	s := shape{rows: max(m, n), cols: min(m, n)}
	s.tall = s.cols > 0 && float64(s.rows) >= t.QRFirst*float64(s.cols) && t.QRFirst > 0
	s.k = s.cols
	if o.Largest > 0 {
		s.k = o.Largest
	}
	u, v := o.U, o.V
	switch {
	case m < n:
		u, v = v, u
	case m == n:
		u, v = max(u, v), max(u, v)
	}
	s.wants = [2]Vectors{left: u, right: v}
	return s
}

// vectors reports whether vectors of any side are wanted.
func (s shape) vectors() bool { return s.wants[left] != None || s.wants[right] != None }

// more returns the number of left vectors without a singular value, which Full adds.
func (s shape) more() int {
	if s.wants[left] == Full {
		return s.rows - s.cols
	}
	return 0
}

// length returns the number of components of a vector of the given side.
func (s shape) length(of side) int {
	if of == left {
		return s.rows
	}
	return s.cols
}

// exchanged reports whether the matrix on the device is the transpose of the caller's. Then the
// left vectors are V.
func exchanged[T evd.Float](a evd.Dense[T]) bool {
	return a.Rows < a.Cols || a.Rows == a.Cols && a.RowMajor
}

// sides returns the side of U and the side of V.
func sides[T evd.Float](a evd.Dense[T]) (u, v side) {
	if exchanged(a) {
		return right, left
	}
	return left, right
}
