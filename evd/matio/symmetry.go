package matio

import (
	"cmp"
	"math"
	"sync"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// Symmetric returns nil if, for all i and j, a_ij and a_ji are equal or both NaN. Otherwise it
// returns a *NotSymmetricError that names the largest difference. If the matrix is not square, it
// returns a *NotSquareError. Rounding errors count as differences: NotSymmetricError.Rounding
// reports whether the largest difference can be a rounding error, and Symmetrize removes such
// differences. Zeros of different sign are equal. The matrix is not changed.
//
// Symmetric uses all CPU cores. The result does not depend on their number.
func (d *Dense) Symmetric() error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	n := d.Rows
	var lock sync.Mutex
	var worst *NotSymmetricError // the largest difference of all pairs that have been compared
	transpose.EachPair(n, func(own *transpose.Copy, i0, j0, rows, cols int) bool {
		own.Load(d.Data[i0+j0*n:], n, rows, cols)
		var found *NotSymmetricError
		for r := range rows {
			mirror := d.Data[j0+(i0+r)*n:][:cols]
			for c, y := range mirror {
				x := own[r+c*transpose.Pitch]
				if x == y || i0+r <= j0+c || x != x && y != y {
					continue
				}
				if e := (&NotSymmetricError{Row: i0 + r, Col: j0 + c, Diff: math.Abs(x - y)}); found == nil || e.exceeds(found) {
					found = e
				}
			}
		}
		if found != nil {
			lock.Lock()
			defer lock.Unlock()
			if worst == nil || found.exceeds(worst) {
				worst = found
			}
		}
		return true
	})
	if worst == nil {
		return nil
	}
	worst.Largest, worst.Single = largest(d.Data), d.Single
	return worst
}

// exceeds reports whether the difference of e is larger. NaN is larger than all numbers. Of two
// equal differences, the first one in column-major order counts, so that the order in which
// goroutines finish has no effect.
func (e *NotSymmetricError) exceeds(than *NotSymmetricError) bool {
	// cmp.Compare orders NaN below all numbers.
	if a, b := math.IsNaN(e.Diff), math.IsNaN(than.Diff); a != b {
		return a
	}
	return cmp.Or(cmp.Compare(e.Diff, than.Diff), cmp.Compare(than.Col, e.Col), cmp.Compare(than.Row, e.Row)) > 0
}

// largest ignores NaN.
func largest(a []float64) (largest float64) {
	for _, x := range a {
		if x = math.Abs(x); x > largest {
			largest = x
		}
	}
	return largest
}

// Symmetrize replaces A by (A + Aᵀ)/2, in place. Pairs that are equal are not changed, not even in
// the last bit. If one element of a pair is NaN, both become NaN. Two infinities of different sign
// become NaN, too. Symmetrize returns a *NotSquareError if A is not square. It uses all CPU cores.
func (d *Dense) Symmetrize() error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	n := d.Rows
	transpose.EachPair(n, func(own *transpose.Copy, i0, j0, rows, cols int) bool {
		own.Load(d.Data[i0+j0*n:], n, rows, cols)
		for r := range rows {
			mirror := d.Data[j0+(i0+r)*n:][:cols]
			for c, y := range mirror {
				if x := own[r+c*transpose.Pitch]; x != y && i0+r > j0+c {
					mirror[c] = x/2 + y/2 // x + y could overflow
					own[r+c*transpose.Pitch] = mirror[c]
				}
			}
		}
		d.store(own, i0, j0, rows, cols)
		return true
	})
	return nil
}

// store writes the copy of a tile back to its place, which begins at (i0, j0). Of a tile on the
// diagonal, which is its own mirror image, it writes only the part below the diagonal.
func (d *Dense) store(own *transpose.Copy, i0, j0, rows, cols int) {
	for c := range cols {
		from := 0
		if i0 == j0 {
			from = min(c+1, rows)
		}
		copy(d.Data[i0+from+(j0+c)*d.Rows:], own[c*transpose.Pitch+from:c*transpose.Pitch+rows])
	}
}

// Mirror makes a matrix symmetric, in place. If `lower` is true, it copies the lower triangle to
// the upper triangle, otherwise the upper to the lower. The old contents of the target triangle are
// not used. Mirror returns a *NotSquareError if the matrix is not square. It uses all CPU cores.
func (d *Dense) Mirror(lower bool) error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	n := d.Rows
	transpose.EachPair(n, func(own *transpose.Copy, i0, j0, rows, cols int) bool {
		own.Load(d.Data[i0+j0*n:], n, rows, cols)
		for r := range rows {
			mirror := d.Data[j0+(i0+r)*n:][:cols]
			for c := range mirror {
				switch {
				case i0+r <= j0+c: // the diagonal, or what element (c, r) of this tile does
				case lower:
					mirror[c] = own[r+c*transpose.Pitch]
				default:
					own[r+c*transpose.Pitch] = mirror[c]
				}
			}
		}
		d.store(own, i0, j0, rows, cols)
		return true
	})
	return nil
}
