package matio

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tile is the edge of the square blocks in which a matrix meets its transpose. A block of 64 × 64
// doubles fits any first-level cache; whole columns do not.
const tile = 64

// pitch is the leading dimension of a tile that has been copied out of its matrix. It is odd: the
// columns of a matrix whose order is a power of two all map to the same few cache lines, and the
// copy must not inherit that.
const pitch = tile + 1

// A tileCopy is a copy of one tile: element (r, c) is at [r + c·pitch].
type tileCopy [tile * pitch]float64

// load copies the rows × cols tile that begins at a[0]; ld is a's leading dimension.
func (t *tileCopy) load(a []float64, ld, rows, cols int) {
	for c := range cols {
		copy(t[c*pitch:c*pitch+rows], a[c*ld:])
	}
}

// inParallel calls do for k = 0 … count−1, from as many goroutines as there are processors. Each
// goroutine has a tileCopy of its own. When a call returns false, those not begun yet are dropped.
func inParallel(count int, do func(own *tileCopy, k int) bool) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		group.Go(func() {
			own := new(tileCopy)
			for k := int(next.Add(1) - 1); k < count; k = int(next.Add(1) - 1) {
				if !do(own, k) {
					next.Store(int64(count))
				}
			}
		})
	}
	group.Wait()
}

// eachTilePair calls do for all pairs of tiles at (i0, j0) and (j0, i0) of an n × n matrix, with
// j0 ≤ i0, in parallel. Rows and cols are the size of the tile at (i0, j0). No two calls share a
// tile. When do returns false, soon no more calls begin.
func eachTilePair(n int, do func(own *tileCopy, i0, j0, rows, cols int) bool) {
	inParallel((n+tile-1)/tile, func(own *tileCopy, k int) bool {
		j0 := k * tile
		for i0 := j0; i0 < n; i0 += tile {
			if !do(own, i0, j0, min(tile, n-i0), min(tile, n-j0)) {
				return false
			}
		}
		return true
	})
}
