package matio

import (
	"errors"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// A matrix is the matrix of a file, before it is stored as the caller wants it: with all elements,
// or as two diagonals.
type matrix struct {
	source // says whether the matrix is complex

	// Dense has the elements, unless `each` lists them. Those of a complex matrix are pairs of
	// numbers, and DeclaredSymmetric then means Hermitian.
	*Dense

	// each calls the function `put` for each entry of a sparse matrix, in any order, with i and j
	// counted from 0 and inside the matrix, and returns the first error. Entries of one place are
	// added up.
	each func(put func(i, j int, x complex128) error) error
}

// denseOf returns the matrix with all elements stored. It may need much more memory than the file.
func denseOf(c *matrix, err error) (*Dense, error) {
	switch {
	case err != nil:
		return nil, err
	case c.each == nil:
		return c.Dense, nil
	}
	d, err := c.zeros(c.Rows, c.Cols)
	if err != nil {
		return nil, err
	}
	d.DeclaredSymmetric = c.DeclaredSymmetric
	return d, c.each(func(i, j int, x complex128) error {
		d.Data[i+j*d.Rows] += real(x)
		return nil
	})
}

// An either is a real or a complex matrix. The other one is nil.
type either struct {
	real    *Dense
	complex *Complex
}

// eitherOf returns the matrix with all elements stored. A matrix that its file declares Hermitian
// has a real diagonal. Imaginary parts there that are no rounding errors are an error.
func eitherOf(c *matrix, err error) (*either, error) {
	if err != nil || !c.complex {
		d, err := denseOf(c, err)
		return &either{real: d}, err
	}
	z := &Complex{Rows: c.Rows, Cols: c.Cols, Data: pairsOf(c.Data), DeclaredHermitian: c.DeclaredSymmetric, Single: c.Single}
	if c.each != nil {
		if z.Data, err = zeros[complex128](c.source, c.Rows, c.Cols); err != nil {
			return nil, err
		}
		if err := c.each(func(i, j int, x complex128) error {
			z.Data[i+j*z.Rows] += x
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if z.DeclaredHermitian {
		var differs *NotSymmetricError
		if errors.As(z.Hermitian(), &differs) {
			if !differs.Rounding() {
				return nil, c.errorf("declared hermitian, but %v", differs)
			}
			z.realDiagonal()
		}
	}
	return &either{complex: z}, nil
}

// zeros returns a matrix of zeros.
func (s source) zeros(rows, cols int) (*Dense, error) {
	data, err := zeros[float64](s, rows, cols)
	return &Dense{Rows: rows, Cols: cols, Data: data}, err
}

func zeros[T transpose.Number](s source, rows, cols int) ([]T, error) {
	if n, ok := memory.Elements(rows, cols, memory.MostElements); ok {
		if data, ok := memory.Allocate[T](n); ok {
			return data, nil
		}
	}
	return nil, s.tooLarge(rows, cols)
}

// tridiagonalOf returns the diagonals of the matrix. A sparse matrix needs only memory
// of order n. Otherwise the shape decides what the elements mean:
//
//	n×2, n ≠ 2   the columns D and E; the last element of E is not used
//	2×n, n ≠ 2   the rows D and E; the last element of E is not used
//	n×n          a tridiagonal matrix, with both triangles
//	otherwise    an error that wraps *NotSquareError
//
// The result may share memory with c.
func tridiagonalOf(c *matrix, err error) (*Tridiagonal, error) {
	if err != nil {
		return nil, err
	}
	n, all := c.Rows, c.Data
	switch {
	case c.each != nil:
	case c.Cols == 2 && n != 2:
		return &Tridiagonal{D: all[:n], E: all[n : n+max(0, n-1)]}, nil
	case n == 2 && c.Cols != 2:
		both, ok := memory.Allocate[float64](2 * c.Cols)
		if !ok {
			return nil, c.tooLarge(n, c.Cols)
		}
		t := &Tridiagonal{D: both[:c.Cols], E: both[c.Cols:][:max(0, c.Cols-1)]}
		for j := range c.Cols {
			if t.D[j] = all[2*j]; j < len(t.E) {
				t.E[j] = all[2*j+1]
			}
		}
		return t, nil
	default:
		c.each = func(put func(i, j int, x complex128) error) error {
			for j := range n {
				for i, x := range all[j*n : (j+1)*n] {
					if err := put(i, j, complex(x, 0)); err != nil {
						return c.errorf("%v", err)
					}
				}
			}
			return nil
		}
	}
	t, err := newScattered(c)
	if err == nil {
		err = c.each(t.put)
	}
	if err != nil {
		return nil, err
	}
	return t.whole()
}

// scattered collects the entries of a tridiagonal matrix. An entry may come before or after its
// mirror image, so the two triangles are collected separately.
type scattered struct {
	Tridiagonal
	upper []float64 // elements (i, i+1), which must be equal to E in the end
	source
}

// newScattered returns a matrix of zeros, or an error if the matrix is not square or too large.
func newScattered(c *matrix) (*scattered, error) {
	n, off := c.Rows, max(0, c.Rows-1)
	if n != c.Cols {
		return nil, c.failed(&NotSquareError{n, c.Cols})
	}
	all, ok := memory.Allocate[float64](3 * n)
	if !ok {
		return nil, c.tooLarge(n, 3)
	}
	return &scattered{Tridiagonal{D: all[:n:n], E: all[n:][:off:off]}, all[2*n:][:off], c.source}, nil
}

// put adds the real part of z to element (i, j). The error does not have the name of the file.
func (t *scattered) put(i, j int, z complex128) error {
	switch x := real(z); {
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

// `whole` returns the collected matrix. Elements (i+1, i) and (i, i+1) must be equal or both NaN.
// Otherwise the error wraps a *NotSymmetricError about the largest difference.
func (t *scattered) whole() (*Tridiagonal, error) {
	var worst *NotSymmetricError
	for i, x := range t.E {
		y := t.upper[i]
		if x == y || x != x && y != y {
			continue
		}
		worst = worst.or(&NotSymmetricError{Row: i + 1, Col: i, Diff: math.Abs(x - y)})
	}
	if worst == nil {
		return &t.Tridiagonal, nil
	}
	worst.Largest = max(largest(t.D), largest(t.E), largest(t.upper))
	return nil, t.failed(worst)
}
