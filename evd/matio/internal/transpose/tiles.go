package transpose

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Number is the constraint for elements of matrices.
type Number interface{ float64 | complex128 }

// Tile is the order of the square tiles in which a matrix is compared with its transpose or
// exchanged with it. A tile of 64×64 doubles (32 KiB) fits a first-level cache, and one of complex
// numbers a second-level cache. The columns of a large matrix do not.
const Tile = 64

// Pitch is the leading dimension of the copy of a tile. If the leading dimension is a power of two,
// the elements of a row all map to a few cache sets. An odd leading dimension avoids these
// conflicts.
const Pitch = Tile + 1

// Copy is a copy of one tile. Element (r, c) of the tile is at index r + c·Pitch.
type Copy[T Number] [Tile * Pitch]T

func (t *Copy[T]) Load(a []T, ld, rows, cols int) {
	for c := range cols {
		copy(t[c*Pitch:c*Pitch+rows], a[c*ld:])
	}
}

// inParallel calls `do` for k = 0 … count−1, in this order, on all processors, and returns when all
// calls have returned. `own` is a Copy that belongs to the goroutine, with undefined content. After
// a call that returns false, no new calls begin.
func inParallel[T Number](count int, do func(own *Copy[T], k int) bool) {
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		memory := tileCopies.Get().(*Copy[complex128])
		defer tileCopies.Put(memory)
		own := (*Copy[T])(unsafe.Pointer(memory)) // numbers of any type fit
		for k := int(next.Add(1) - 1); k < count; k = int(next.Add(1) - 1) {
			if !do(own, k) {
				next.Store(int64(count))
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), count) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}

// tileCopies has copies that no goroutine uses. A file may have many small matrices, and the
// allocation of a new copy takes longer than the work for a small matrix.
var tileCopies = sync.Pool{New: func() any { return new(Copy[complex128]) }}

// EachPair calls the function `do`, in parallel, for all pairs of tiles of an n×n matrix. A
// pair is the tile at (i0, j0) and its mirror image at (j0, i0), with j0 ≤ i0. The calls for a
// matrix of 3×3 tiles are
//
//	1         each number is one call; a tile on the
//	2 4       diagonal is its own mirror image
//	3 5 6
//
// The tile at (i0, j0) has rows×cols elements, and its mirror image has cols×rows elements. No two
// calls have a tile in common, so each call may write to both of its tiles. The argument `own` is
// workspace for `do`. After a call that returns false, each goroutine ends at the latest after its
// current column of tiles.
func EachPair[T Number](n int, do func(own *Copy[T], i0, j0, rows, cols int) bool) {
	inParallel((n+Tile-1)/Tile, func(own *Copy[T], k int) bool {
		j0 := k * Tile
		for i0 := j0; i0 < n; i0 += Tile {
			if !do(own, i0, j0, min(Tile, n-i0), min(Tile, n-j0)) {
				return false
			}
		}
		return true
	})
}
