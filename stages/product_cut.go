package stages

import "github.com/vkevd/vkevd/vk"

// cut is how one product is spread over the device: its tile, and the number of
// pieces of length stretch that the inner dimension is split into.
type cut struct{ tile, splits, stretch int }

// cutter chooses cuts. It knows shapes only, so equal products get equal bits.
type cutter struct {
	tiles []Tile
	room  int // elements that all partial products together may have
}

// newCutter allows partial products for two results an invocation of a full device.
func newCutter(tiles []Tile) cutter {
	c := cutter{tiles: tiles}
	for _, t := range tiles {
		c.room = max(c.room, 2*t.Groups*int(t.M*t.N))
	}
	return c
}

// The model of costs. The unit is one instruction of one invocation, of which a
// step of the inner dimension takes ThreadM·ThreadN to multiply and ThreadM +
// ThreadN to read shared memory. Measured on an H200 and rounded; only their
// order of magnitude matters.
const (
	startSteps    = 64 // a workgroup's first loads and the access to C, in steps
	dispatchSteps = 20 // the dispatch that sums, in steps of all workgroups of the first tile
	partCost      = 64 // writing and reading one element of a partial product
)

// step is the cost of one step of the inner dimension on the full device.
func (t Tile) step() float64 {
	return float64(t.Groups) * float64(t.threads()) * float64(t.ThreadM*t.ThreadN+t.ThreadM+t.ThreadN)
}

// choose cuts count products of m×k by k×n.
func (c cutter) choose(m, n, k, count int) cut {
	best, cheapest := cut{}, -1.0
	for i, t := range c.tiles {
		groups := vk.Tiles(m, t.M) * vk.Tiles(n, t.N) * count
		for pieces := 1; ; pieces *= 2 {
			x := c.split(i, k, pieces)
			elements := m * n * count * x.splits
			if x.splits > 1 && (elements > c.room || count*x.splits > maxLayers) {
				break
			}
			waves := vk.Tiles(groups*x.splits, uint32(t.Groups))
			cost := float64(waves) * t.step() * float64(x.stretch+startSteps)
			if x.splits > 1 {
				cost += dispatchSteps*c.tiles[0].step() + partCost*float64(elements)
			}
			if cheapest < 0 || cost < cheapest {
				best, cheapest = x, cost
			}
			if x.stretch <= int(t.K) {
				break
			}
		}
	}
	return best
}

// split divides k into at most pieces stretches of whole steps of the tile.
func (c cutter) split(tile, k, pieces int) cut {
	step := int(c.tiles[tile].K)
	stretch := max((k+pieces-1)/pieces, 1)
	stretch = (stretch + step - 1) / step * step
	return cut{tile, max((k+stretch-1)/stretch, 1), stretch}
}
