// Package transpose transposes matrices, and compares them with their transposes.
package transpose

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// ByColumns converts a matrix from row order to column order, in place if it is square. Most real
// matrices are symmetric, the same in both orders, so ByColumns tests for this first. It returns
// false if the system has no memory for a second matrix. The result may be the same memory.
func ByColumns[T Number](a []T, rows, cols int) ([]T, bool) {
	switch {
	case rows <= 1 || cols <= 1:
		return a, true
	case rows == cols:
		if x, real := any(a).([]float64); !real || !isItsTranspose(x, rows) {
			InPlace(a, rows)
		}
		return a, true
	}
	b, ok := memory.Allocate[T](len(a))
	if ok {
		Into(b, a, rows, cols)
	}
	return b, ok
}

// EachByColumns converts each matrix of a stack from row order to column order. It returns false if
// the system has no memory for one more matrix.
func EachByColumns[T Number](stack []T, rows, cols int) bool {
	if rows <= 1 || cols <= 1 || len(stack) == 0 {
		return true
	}
	b, ok := memory.Allocate[T](rows * cols)
	if !ok {
		return false
	}
	for a := range slices.Chunk(stack, len(b)) {
		copy(b, a)
		if len(b) >= Tile*Tile {
			Into(a, b, rows, cols)
			continue
		}
		for i := range rows {
			for j, x := range b[i*cols : (i+1)*cols] {
				a[i+j*rows] = x
			}
		}
	}
	return true
}

// isItsTranspose reports whether an n×n matrix equals its transpose, bit by bit. It stops soon
// after the first difference, so for a matrix that is not symmetric it usually reads only a small
// part.
func isItsTranspose(a []float64, n int) bool {
	var differs atomic.Bool
	EachPair(n, func(own *Copy[float64], i0, j0, rows, cols int) bool {
		own.Load(a[i0+j0*n:], n, rows, cols)
		for r := range rows {
			for c, y := range a[j0+(i0+r)*n:][:cols] {
				// The bits are compared, not the values. Zeros of different sign and different NaNs
				// must count as different, so that they are exchanged.
				if math.Float64bits(y) != math.Float64bits(own[r+c*Pitch]) {
					differs.Store(true)
				}
			}
		}
		return !differs.Load()
	})
	return !differs.Load()
}

// InPlace transposes the n×n matrix `a`, on all CPU cores. For each pair of tiles it copies both,
// and writes the transpose of each copy to the place of the other tile.
func InPlace[T Number](a []T, n int) {
	EachPair(n, func(own *Copy[T], i0, j0, rows, cols int) bool {
		own.Load(a[i0+j0*n:], n, rows, cols)
		if i0 == j0 {
			own.storeTransposed(a[i0+j0*n:], n, rows, cols)
			return true
		}
		var mirror Copy[T]
		mirror.Load(a[j0+i0*n:], n, cols, rows)
		own.storeTransposed(a[j0+i0*n:], n, rows, cols)
		mirror.storeTransposed(a[i0+j0*n:], n, cols, rows)
		return true
	})
}

// Into fills the rows×cols matrix `dst`, stored by columns, with the matrix `src`, stored by rows.
// The two must not overlap. Each call of the function that inParallel gets fills Tile columns of
// `dst`.
func Into[T Number](dst, src []T, rows, cols int) {
	inParallel((cols+Tile-1)/Tile, func(own *Copy[T], k int) bool {
		j0 := k * Tile
		width := min(Tile, cols-j0)
		for i0 := 0; i0 < rows; i0 += Tile {
			height := min(Tile, rows-i0)
			// Read as a matrix stored by columns, the memory of `src` holds the transpose.
			own.Load(src[i0*cols+j0:], cols, width, height)
			own.storeTransposed(dst[i0+j0*rows:], rows, width, height)
		}
		return true
	})
}

// storeTransposed writes the transpose of the rows×cols tile t to a tile of a matrix that begins at
// a[0].
func (t *Copy[T]) storeTransposed(a []T, ld, rows, cols int) {
	for r := range rows {
		column := a[r*ld:][:cols]
		for c := range column {
			column[c] = t[r+c*Pitch]
		}
	}
}
