package matio

import (
	"cmp"
	"math"
	"math/cmplx"
	"sync"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// Symmetric returns nil if, for all i and j, a_ij and a_ji are equal or both NaN. Otherwise it
// returns a *NotSymmetricError that names the largest difference. If the matrix is not square,
// Symmetric returns a *NotSquareError. Rounding errors count as differences:
// NotSymmetricError.Rounding reports whether the largest difference can be a rounding error, and
// Symmetrize removes such differences. Zeros of different sign are equal. The matrix is not
// changed.
//
// Symmetric uses all CPU cores. The result does not depend on their number.
func (d *Dense) Symmetric() error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	worst := difference(d.Data, d.Rows, asItIs)
	if worst == nil {
		return nil
	}
	worst.Largest, worst.Single = largest(d.Data), d.Single
	return worst
}

// Hermitian does the same as Dense.Symmetric for a_ij and conj a_ji. On the diagonal, each
// imaginary part that is not zero is a difference.
func (c *Complex) Hermitian() error {
	if c.Rows != c.Cols {
		return &NotSquareError{c.Rows, c.Cols}
	}
	n := c.Rows
	worst := difference(c.Data, n, conjugate)
	for i := range n {
		if y := imag(c.At(i, i)); y != 0 {
			worst = worst.or(&NotSymmetricError{Row: i, Col: i, Diff: 2 * math.Abs(y)})
		}
	}
	if worst == nil {
		return nil
	}
	worst.Complex, worst.Largest, worst.Single = true, largest(partsOf(c.Data)), c.Single
	if !worst.Rounding() {
		other := difference(c.Data, n, asItIs)
		if worst.Transposed = other == nil; other != nil {
			other.Largest, other.Single = worst.Largest, worst.Single
			worst.Transposed = other.Rounding()
		}
	}
	return worst
}

// One of these functions changes the copy of a tile before it is compared with its mirror image.

func asItIs[T transpose.Number](*transpose.Copy[T]) {}

func conjugate(tile *transpose.Copy[complex128]) {
	for k, x := range tile {
		tile[k] = cmplx.Conj(x)
	}
}

// difference returns the largest difference between an n×n matrix and its mirror image, or nil.
func difference[T transpose.Number](a []T, n int, turn func(*transpose.Copy[T])) (worst *NotSymmetricError) {
	var lock sync.Mutex
	transpose.EachPair(n, func(own *transpose.Copy[T], i0, j0, rows, cols int) bool {
		own.Load(a[i0+j0*n:], n, rows, cols)
		turn(own)
		var found *NotSymmetricError
		for r := range rows {
			mirror := a[j0+(i0+r)*n:][:cols]
			for c, y := range mirror {
				x := own[r+c*transpose.Pitch]
				if x == y || i0+r <= j0+c || x != x && y != y {
					continue
				}
				found = found.or(&NotSymmetricError{Row: i0 + r, Col: j0 + c, Diff: magnitude(x - y)})
			}
		}
		if found != nil {
			lock.Lock()
			defer lock.Unlock()
			worst = worst.or(found)
		}
		return true
	})
	return worst
}

func magnitude[T transpose.Number](x T) float64 {
	if x, ok := any(x).(complex128); ok {
		return cmplx.Abs(x)
	}
	return math.Abs(any(x).(float64))
}

// or returns the error with the larger difference. NaN is larger than all numbers. Of two equal
// differences, the first one in column-major order counts, so that the order in which goroutines
// finish has no effect. e may be nil.
func (e *NotSymmetricError) or(other *NotSymmetricError) *NotSymmetricError {
	if e == nil || other.exceeds(e) {
		return other
	}
	return e
}

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
	average(d.Data, d.Rows, asItIs)
	return nil
}

// Symmetrize replaces A by (A + Aᴴ)/2, as Dense.Symmetrize does. Imaginary parts on the diagonal
// become zero.
func (c *Complex) Symmetrize() error {
	if c.Rows != c.Cols {
		return &NotSquareError{c.Rows, c.Cols}
	}
	average(c.Data, c.Rows, conjugate)
	c.realDiagonal()
	return nil
}

func (c *Complex) realDiagonal() {
	for i := range c.Rows {
		at := i + i*c.Rows
		c.Data[at] = complex(real(c.Data[at]), 0)
	}
}

func average[T transpose.Number](a []T, n int, turn func(*transpose.Copy[T])) {
	transpose.EachPair(n, func(own *transpose.Copy[T], i0, j0, rows, cols int) bool {
		own.Load(a[i0+j0*n:], n, rows, cols)
		turn(own)
		for r := range rows {
			mirror := a[j0+(i0+r)*n:][:cols]
			for c, y := range mirror {
				if x := own[r+c*transpose.Pitch]; x != y && i0+r > j0+c {
					mirror[c] = x/2 + y/2 // x + y could overflow
					own[r+c*transpose.Pitch] = mirror[c]
				}
			}
		}
		turn(own)
		store(a, n, own, i0, j0, rows, cols)
		return true
	})
}

// store writes the copy of a tile back to its place, which begins at (i0, j0). Of a tile on the
// diagonal, which is its own mirror image, it writes only the part below the diagonal.
func store[T transpose.Number](a []T, n int, own *transpose.Copy[T], i0, j0, rows, cols int) {
	for c := range cols {
		from := 0
		if i0 == j0 {
			from = min(c+1, rows)
		}
		copy(a[i0+from+(j0+c)*n:], own[c*transpose.Pitch+from:c*transpose.Pitch+rows])
	}
}

// Mirror makes a matrix symmetric, in place. If `lower` is true, Mirror copies the lower triangle
// to the upper triangle, otherwise the upper to the lower. The old contents of the target triangle
// are not used. Mirror returns a *NotSquareError if the matrix is not square. It uses all CPU
// cores.
func (d *Dense) Mirror(lower bool) error {
	if d.Rows != d.Cols {
		return &NotSquareError{d.Rows, d.Cols}
	}
	mirror(d.Data, d.Rows, lower, asItIs)
	return nil
}

// Mirror makes a matrix Hermitian, as Dense.Mirror makes one symmetric. It does not change the
// imaginary parts of the diagonal.
func (c *Complex) Mirror(lower bool) error {
	if c.Rows != c.Cols {
		return &NotSquareError{c.Rows, c.Cols}
	}
	mirror(c.Data, c.Rows, lower, conjugate)
	return nil
}

func mirror[T transpose.Number](a []T, n int, lower bool, turn func(*transpose.Copy[T])) {
	transpose.EachPair(n, func(own *transpose.Copy[T], i0, j0, rows, cols int) bool {
		own.Load(a[i0+j0*n:], n, rows, cols)
		turn(own)
		for r := range rows {
			mirror := a[j0+(i0+r)*n:][:cols]
			for c := range mirror {
				switch {
				case i0+r <= j0+c: // on the diagonal, or element (c, r) of the same tile handles this pair
				case lower:
					mirror[c] = own[r+c*transpose.Pitch]
				default:
					own[r+c*transpose.Pitch] = mirror[c]
				}
			}
		}
		turn(own)
		store(a, n, own, i0, j0, rows, cols)
		return true
	})
}
