package matio

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// tile is the order of the square tiles in which a matrix is compared with its transpose, or
// exchanged with it. A tile of 64×64 doubles (32 KiB) fits a first-level cache. Whole columns do
// not fit.
const tile = 64

// pitch is the leading dimension of a tile that was copied out of its matrix. If the order of a
// matrix is a power of two, the elements of a row all map to the same few cache sets. An odd pitch
// prevents this in the copy.
const pitch = tile + 1

// A tileCopy is a copy of one tile: element (r, c) is at [r + c·pitch].
type tileCopy [tile * pitch]float64

// load copies the rows×cols tile that begins at a[0]. ld is the leading dimension of a.
func (t *tileCopy) load(a []float64, ld, rows, cols int) {
	for c := range cols {
		copy(t[c*pitch:c*pitch+rows], a[c*ld:])
	}
}

// inParallel calls do for k = 0 … count−1, from as many goroutines as there are processors, and
// returns when all calls have returned. Each goroutine has a tileCopy of its own, with undefined
// content. Calls begin in order of k. After a call that returns false, no new calls begin.
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

// eachTilePair calls do, in parallel, for all pairs of tiles of an n×n matrix: the tile at (i0, j0)
// and its mirror image at (j0, i0), j0 ≤ i0. For an order of three tiles these are the pairs
//
//	1         each number is one call; a tile on the diagonal
//	2 4       is its own mirror image
//	3 5 6
//
// rows and cols are the size of the tile at (i0, j0); that of its mirror image is cols×rows. No two
// calls have a tile in common, so each may write to both of its tiles. own is for the caller's use.
// After a call that returns false, no new calls begin soon.
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
