package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
)

// Columns describes those columns of a symmetric or Hermitian matrix that one of several devices
// has. The columns are divided into blocks of Width columns; the last block may have fewer. The
// device stores the rows of a block from the row of its first column on, packed, with the diagonal
// block in full.
type Columns struct {
	N     int // order of the matrix, at least 1
	Width int // columns of a block, at least 1

	// Blocks are the numbers of the device's blocks, in ascending order. At has the index of the
	// first element of each block in the memory of the device's columns.
	Blocks, At []int
}

func (c Columns) Columns(j int) (from, to int) {
	return j * c.Width, min((j+1)*c.Width, c.N)
}

func (c Columns) Elements() (all int) {
	for _, j := range c.Blocks {
		from, to := c.Columns(j)
		all += (c.N - from) * (to - from)
	}
	return all
}

// check panics if Blocks is not in ascending order, names a block that does not exist, or has
// another length than At.
func (c Columns) check() {
	previous := -1
	for _, j := range c.Blocks {
		if j <= previous || j*c.Width >= c.N {
			panic(fmt.Sprintf("product: blocks %v of %d columns of %d", c.Blocks, c.Width, c.N))
		}
		previous = j
	}
	if len(c.At) != len(c.Blocks) {
		panic(fmt.Sprintf("product: %d places of %d blocks", len(c.At), len(c.Blocks)))
	}
}

// table returns the table of the device's blocks that the kernels read, as 32-bit words.
// own_columns.glsl describes its layout.
func (c Columns) table() []uint32 {
	const words = shaders.OwnColumnsWords
	blocks := (c.N + c.Width - 1) / c.Width
	table, before := make([]uint32, words*(blocks+1)), 0
	for i := range blocks + 1 {
		table[words*i+shaders.OwnColumnsBefore] = uint32(before)
		if before < len(c.Blocks) && c.Blocks[before] == i {
			before++
		}
	}
	for l, j := range c.Blocks {
		table[words*l+shaders.OwnColumnsNumber] = uint32(j)
		table[words*l+shaders.OwnColumnsAt] = uint32(c.At[l])
		table[words*l+shaders.OwnColumnsAt+1] = uint32(uint64(c.At[l]) >> 32)
	}
	return table
}

// trailing describes the device's part of the trailing matrix that begins at row and column `top`.
// `passed` is the number of the device's columns before `top`. `longest` is the largest number of
// elements that a row of the device's part has, and `elements` is the number of all its elements.
// An element below a diagonal block counts twice, because its transpose is an element, too.
func (c Columns) trailing(top int) (passed, longest int, elements float64) {
	for _, j := range c.Blocks {
		from, to := c.Columns(j)
		passed += max(0, min(to, top)-from)
		if to <= top {
			continue
		}
		first := max(from, top)
		longest = max(longest, c.N-first)
		elements += float64(to-first) * (float64(to-first) + 2*float64(c.N-to))
	}
	return passed, longest, elements
}

// blockRows has the number of rows that one block has in the trailing matrix, and the number of
// elements of the device's part in each of these rows.
type blockRows struct{ rows, inner int }

func (c Columns) rows(top int) (all []blockRows) {
	before, next := 0, 0 // the device's columns from `top` on, and its next block
	for j := 0; j*c.Width < c.N; j++ {
		from, to := max(j*c.Width, top), min((j+1)*c.Width, c.N)
		own := next < len(c.Blocks) && c.Blocks[next] == j
		if own {
			next++
		}
		if to <= top {
			continue
		}
		r := blockRows{rows: to - from, inner: before}
		if own {
			before += to - from
			r.inner = before + c.N - to
		}
		all = append(all, r)
	}
	return all
}
