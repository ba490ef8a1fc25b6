package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
)

func checkSizes(sizes ...int) error {
	const most = product.MostLd - 1
	for _, size := range sizes {
		if size < 0 || size > most {
			return &evd.ShapeError{N: size, Max: most}
		}
	}
	return nil
}

// side is left or right, for the singular vectors of the matrix on the device: the caller's matrix
// or its adjoint, with at least as many rows as columns.
type side int

const (
	left side = iota
	right
)

// shape describes the matrix on the device, and which results are wanted of it.
type shape struct {
	rows, cols int                // rows ≥ cols
	bidiagonal bool               // whether the matrix is C itself, and needs no reduction
	tall       bool               // whether a QR factorisation comes first
	part       spectrum.Selection // which singular values are wanted
	k          int                // largest number of wanted singular values

	// wants[left] and wants[right] say which vectors are wanted. A square matrix may be stored as
	// its adjoint, which exchanges the sides. So for a square matrix wants[left] = wants[right],
	// the larger demand of U and V, because the memory must suffice for either storage.
	wants [2]Vectors
}

func newShape(m, n int, o Options, t tuning.Tuning) shape {
	s := shape{rows: max(m, n), cols: min(m, n)}
	s.tall = s.cols > 0 && float64(s.rows) >= t.QRFirst*float64(s.cols) && t.QRFirst > 0
	s.part = o.part()
	s.k = spectrum.Capacity(s.part, s.cols)
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

func (s shape) vectors() bool { return s.wants[left] != None || s.wants[right] != None }

// `more` returns the number of left vectors that belong to no singular value (only with Full).
func (s shape) more() int {
	if s.wants[left] == Full {
		return s.rows - s.cols
	}
	return 0
}

func (s shape) length(of side) int {
	if of == left {
		return s.rows
	}
	return s.cols
}

// exchanged reports whether the device stores the adjoint of the caller's matrix a. Then the left
// vectors of the device's matrix are the right vectors V of a.
func exchanged[T evd.Number](a evd.Dense[T]) bool {
	return a.Rows < a.Cols || a.Rows == a.Cols && a.RowMajor
}

// sides returns the sides of the device's matrix that give the caller's U and V.
func sides[T evd.Number](a evd.Dense[T]) (u, v side) {
	if exchanged(a) {
		return right, left
	}
	return left, right
}
