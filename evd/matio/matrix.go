package matio

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// A matrix is the matrix of a file, before it is stored as the caller wants it: with all elements, or as
// two diagonals.
type matrix struct {
	source
	*Dense // with its elements, unless `each` lists them

	// each calls the function `put` for each entry of a sparse matrix, in any order, with i and j counted
	// from 0 and inside the matrix, and returns the first error. Entries of one place are added up.
	each func(put func(i, j int, x float64) error) error
}

// denseOf returns the matrix with all elements stored, for which memory may be much
// larger than the file.
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
	return d, c.each(func(i, j int, x float64) error {
		d.Data[i+j*d.Rows] += x
		return nil
	})
}

// zeros returns a matrix of zeros.
func (s source) zeros(rows, cols int) (*Dense, error) {
	n, ok := memory.Elements(rows, cols, memory.MostElements)
	if ok {
		var data []float64
		if data, ok = memory.Allocate[float64](n); ok {
			return &Dense{Rows: rows, Cols: cols, Data: data}, nil
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
		c.each = func(put func(i, j int, x float64) error) error {
			for j := range n {
				for i, x := range all[j*n : (j+1)*n] {
					if err := put(i, j, x); err != nil {
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

// scattered collects the entries of a tridiagonal matrix. An entry may come before or after its mirror
// image, so the two triangles are collected separately.
type scattered struct {
	Tridiagonal
	upper []float64 // elements (i, i+1), which must be equal to E in the end
	source
}

// newScattered returns a matrix of zeros, or an error if the matrix is not square or too
// large.
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

// put adds x to element (i, j). The error does not have the name of the file.
func (t *scattered) put(i, j int, x float64) error {
	switch {
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

// whole returns the collected matrix. Elements (i+1, i) and (i, i+1) must be equal or both NaN.
// Otherwise the error wraps a *NotSymmetricError about the largest difference.
func (t *scattered) whole() (*Tridiagonal, error) {
	var worst *NotSymmetricError
	for i, x := range t.E {
		y := t.upper[i]
		if x == y || x != x && y != y {
			continue
		}
		if e := (&NotSymmetricError{Row: i + 1, Col: i, Diff: math.Abs(x - y)}); worst == nil || e.exceeds(worst) {
			worst = e
		}
	}
	if worst == nil {
		return &t.Tridiagonal, nil
	}
	worst.Largest = max(largest(t.D), largest(t.E), largest(t.upper))
	return nil, t.failed(worst)
}
