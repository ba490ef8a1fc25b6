package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
)

// side is the left or the right singular vectors of the matrix on the device, which has at least as
// many rows as columns: the caller's matrix or its transpose.
type side int

const (
	left side = iota
	right
)

// shape is what is to be computed of the matrix on the device.
type shape struct {
	rows, cols int  // rows ≥ cols
	tall       bool // a QR factorisation comes first
	k          int  // singular values that are wanted

	// wants are the vectors of each side. A square matrix may come as its transpose, so that there
	// each side may be either of the caller's: for memory both count.
	wants [2]Vectors
}

// newShape is that of the caller's m×n matrices.
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

// vectors tells whether vectors of any side are wanted.
func (s shape) vectors() bool { return s.wants[left] != None || s.wants[right] != None }

// more is the number of left vectors without a singular value, which Full adds.
func (s shape) more() int {
	if s.wants[left] == Full {
		return s.rows - s.cols
	}
	return 0
}

// length is the number of components of a vector.
func (s shape) length(of side) int {
	if of == left {
		return s.rows
	}
	return s.cols
}

// exchanged tells whether the matrix on the device is the transpose of the caller's, so that the left
// vectors are V.
func exchanged[T evd.Float](a evd.Dense[T]) bool {
	return a.Rows < a.Cols || a.Rows == a.Cols && a.RowMajor
}

// sides are the sides of U and of V.
func sides[T evd.Float](a evd.Dense[T]) (u, v side) {
	if exchanged(a) {
		return right, left
	}
	return left, right
}
