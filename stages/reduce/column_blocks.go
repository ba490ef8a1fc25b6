package reduce

import (
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// ColumnBlocks says how the columns of a symmetric matrix of order N are divided among several
// devices. Width neighbouring columns form a block; the last one may have fewer. Block j belongs to
// device Owner[j], which stores its rows from the diagonal on, packed.
type ColumnBlocks struct {
	N, Width int
	Owner    []int
}

// DivideColumns divides the columns in proportion to the positive numbers `parts`, one for each
// device. It distributes the blocks from the last one to the first, each to the device that then
// has the least in proportion to its part. Therefore every trailing matrix is divided in about the
// same proportions, too.
func DivideColumns(n, width int, parts []float64) ColumnBlocks {
	c := ColumnBlocks{N: n, Width: width, Owner: make([]int, vk.Tiles(n, uint32(width)))}
	held := make([]float64, len(parts)) // number of elements that each device has
	for j := len(c.Owner) - 1; j >= 0; j-- {
		size, best := float64(c.elements(j)), 0
		for k := range parts {
			if (held[k]+size)/parts[k] < (held[best]+size)/parts[best] {
				best = k
			}
		}
		held[best] += size
		c.Owner[j] = best
	}
	return c
}

// Columns returns the columns of block j: from ≤ column < to.
func (c ColumnBlocks) Columns(j int) (from, to int) {
	return j * c.Width, min((j+1)*c.Width, c.N)
}

func (c ColumnBlocks) elements(j int) int {
	from, to := c.Columns(j)
	return (c.N - from) * (to - from)
}

func (c ColumnBlocks) Of(column int) int { return column / c.Width }

func (c ColumnBlocks) Part(device int) product.Columns {
	part, size := product.Columns{N: c.N, Width: c.Width}, 0
	for j, owner := range c.Owner {
		if owner == device {
			part.Blocks, part.At = append(part.Blocks, j), append(part.At, size)
			size += c.elements(j)
		}
	}
	return part
}
