package stages

import (
	"math"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// cut is how one product is spread over the device: its tile, and the number of
// pieces of length stretch that the inner dimension is split into.
type cut struct{ tile, splits, stretch int }

// cutter chooses cuts. It knows shapes only, so equal products get equal bits.
type cutter struct {
	tiles []Tile
	units int
	room  int // elements that all partial products together may have
	known *cuts
}

// cuts are those that were chosen already: a plan records the same ones each time, but for the number
// of vectors where that differs from matrix to matrix. When there are too many all are forgotten.
type cuts struct {
	sync.Mutex
	by map[cutOf]cut
}

// mostCuts is far above what one solve needs of any order that fits a device.
const mostCuts = 1 << 16

// cutOf is what a cut depends on.
type cutOf struct{ m, n, k, count, across int }

// newCutter allows partial products of twice what a full device holds.
func newCutter(t ProductTuning) cutter {
	c := cutter{tiles: t.Tiles, units: t.Units, known: &cuts{by: map[cutOf]cut{}}}
	for _, x := range t.Tiles {
		c.room = max(c.room, 2*t.Units*int(x.Resident)*int(x.M*x.N))
	}
	return c
}

// The model of costs, which are a unit's time. It counts instructions: a step of
// the inner dimension takes an invocation ThreadM·ThreadN to multiply and
// ThreadM + ThreadN to read the factors. The rest is arithmetic on what an H200 is known to do,
// rounded; only the order of magnitude matters.
const (
	startSteps    = 64   // a workgroup's first loads and the access to C, in steps
	dispatchSteps = 20   // the dispatch that sums, in steps of the first tile
	partCost      = 64   // writing and reading one element of a partial product
	enough        = 0.75 // of what a unit can hold, to hide latencies
	lineElements  = 16   // of 128 bytes: what memory moves at once
	shortLines    = 0.17 // dearer, for each factor that a shallower tile reads by parts of a line
)

// step is the cost of one step of one workgroup.
func (t Tile) step() float64 {
	return float64(t.threads()) * float64(t.ThreadM*t.ThreadN+t.ThreadM+t.ThreadN)
}

// cost of so many products of m×n, each summed from x.splits parts. Workgroups
// spread evenly over the units; less than three quarters of what a unit can hold
// do not run faster than three quarters. Of the factors across lie with the inner dimension along memory.
func (c cutter) cost(x cut, m, n, count, across int) float64 {
	t := c.tiles[x.tile]
	groups := vk.Tiles(m, t.M) * vk.Tiles(n, t.N) * count * x.splits
	inTurn := max(float64(vk.Tiles(groups, uint32(c.units))), float64(t.Resident)*enough)
	cost := inTurn * t.step() * float64(x.stretch+startSteps)
	if t.K < lineElements {
		cost *= 1 + shortLines*float64(across)
	}
	if x.splits > 1 {
		elements := float64(m) * float64(n) * float64(count*x.splits)
		cost += dispatchSteps*c.tiles[0].step() + partCost*elements/float64(c.units)
	}
	return cost
}

// choose cuts count products of m×k by k×n, across of whose factors lie with k along memory.
func (c cutter) choose(m, n, k, count, across int) cut {
	of := cutOf{m, n, k, count, across}
	c.known.Lock()
	defer c.known.Unlock()
	best, ok := c.known.by[of]
	if !ok {
		if len(c.known.by) >= mostCuts {
			clear(c.known.by)
		}
		best = c.search(m, n, k, count, across)
		c.known.by[of] = best
	}
	return best
}

// search tries all cuts.
func (c cutter) search(m, n, k, count, across int) cut {
	best, least := cut{}, math.Inf(1)
	for i, t := range c.tiles {
		for pieces := 1; ; pieces = more(pieces) {
			x := c.split(i, k, pieces)
			if x.splits > 1 && (m*n*count*x.splits > c.room || count*x.splits > vk.MostGroups()) {
				break
			}
			if cost := c.cost(x, m, n, count, across); cost < least {
				best, least = x, cost
			}
			if x.stretch <= int(t.K) {
				break
			}
		}
	}
	return best
}

// whole is choose where no product may be split: there is no room for parts.
func (c cutter) whole(m, n, k, count, across int) cut {
	best, least := cut{}, math.Inf(1)
	for i := range c.tiles {
		x := c.split(i, k, 1)
		if cost := c.cost(x, m, n, count, across); cost < least {
			best, least = x, cost
		}
	}
	return best
}

// more steps through 1, 2, 3, 4, 6, 8, 12, 16 …
func more(pieces int) int {
	if pieces&(pieces-1) == 0 && pieces > 1 {
		return pieces / 2 * 3
	}
	return max(pieces/3*4, 2)
}

// split divides k into at most pieces stretches of whole steps of the tile.
func (c cutter) split(tile, k, pieces int) cut {
	step := int(c.tiles[tile].K)
	stretch := max((k+pieces-1)/pieces, 1)
	stretch = (stretch + step - 1) / step * step
	return cut{tile, max((k+stretch-1)/stretch, 1), stretch}
}
