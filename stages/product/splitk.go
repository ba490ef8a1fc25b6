package product

import (
	"math"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// splitK says how one product is distributed over the device. `tile` is an index into the table of
// tiles, `splits` is the number of pieces of the inner dimension, and `depth` is the length of a
// piece. `splits` is at least 1, and `splits`·`depth` is at least the inner dimension.
type splitK struct{ tile, splits, depth int }

func (x splitK) partials(elements int) int {
	if x.splits == 1 {
		return 0
	}
	return x.splits * elements
}

// problem is `count` products of an m×k matrix by a k×n matrix, the key of the cache of choices.
type problem struct {
	m, n, k, count int
	alongK         int // number of factors, 0 to 2, whose elements along the inner dimension are contiguous
}

// chooser chooses tiles and splits by a model of costs. The model uses shapes and transpositions
// only, so equal products get equal splits, and their results have equal bits. Several goroutines
// may use a chooser at the same time.
type chooser struct {
	tiles    []Tile
	units    int     // number of compute units of the device
	capacity int     // elements that all partial products of one dispatch may have together
	dispatch float64 // largest cost of a dispatch in flops (Tuning.Dispatch)
	known    *choices
}

func (c chooser) within(flops float64) int { return partsWithin(c.dispatch, flops) }

func partsWithin(dispatch, flops float64) int {
	if dispatch <= 0 || flops <= 0 || dispatch/flops > math.MaxInt32 {
		return math.MaxInt32
	}
	return max(1, int(dispatch/flops))
}

// choices is a cache of chosen tiles and splits. A plan needs the same choices in each run, except
// that the number of vectors may differ from matrix to matrix. If there are more than mostChoices
// entries, all are removed.
type choices struct {
	sync.Mutex
	by map[problem]splitK
}

func newChoices() *choices { return &choices{by: map[problem]splitK{}} }

// mostChoices is above the number of choices in one solve, for every order that fits a device.
const mostChoices = 1 << 16

// newChooser limits the memory of partial products to twice the number of elements that a full
// device computes at the same time. t must have at least one tile.
func newChooser(t Tuning) chooser {
	c := chooser{tiles: t.Tiles, units: t.Units, dispatch: t.Dispatch, known: newChoices()}
	for _, x := range t.Tiles {
		c.capacity = max(c.capacity, 2*t.Units*int(x.Resident)*int(x.M*x.N))
	}
	return c
}

// The model of costs counts the instructions that one compute unit of the device executes, summed
// over all invocations that run on it. A step of the inner dimension is one index k of the sum of
// the products A(i, k)·B(k, j). In a step, an invocation does ThreadM·ThreadN multiplications, and
// reads ThreadM + ThreadN numbers, one or mostPack numbers at a time. The constants are rounded
// values for an H200; only their order of magnitude is important.
const (
	startSteps    = 64   // a workgroup's first loads and its access to C, in steps
	dispatchSteps = 20   // the dispatch that sums, in steps of the first tile
	partCost      = 64   // writing and reading one element of a partial product
	occupancy     = 0.75 // part of the workgroups that a unit can hold, sufficient to hide latency
	lineElements  = 16   // elements of a cache line of 128 bytes
	shortLines    = 0.17 // extra cost for each factor that a shallow tile reads in parts of a line
)

// step returns the cost of a step for a workgroup: the number of instructions of its invocations
// together. A step is one index of the inner dimension.
func (t Tile) step() float64 {
	loads := t.ThreadM + t.ThreadN
	if t.Packed {
		loads /= mostPack
	}
	return float64(t.threads()) * float64(t.ThreadM*t.ThreadN+loads)
}

// cost returns the predicted cost of all products of p, with the tile and the split x. Workgroups
// are distributed evenly over the compute units. A unit that has less than three quarters of the
// workgroups that it can hold runs as slowly as with three quarters. Costs have no unit: they may
// only be compared with other costs for the same p.
func (c chooser) cost(x splitK, p problem) float64 {
	t := c.tiles[x.tile]
	groups := vk.Tiles(p.m, t.M) * vk.Tiles(p.n, t.N) * p.count * x.splits
	return c.costOf(x, p.alongK, groups, float64(p.m)*float64(p.n)*float64(p.count*x.splits))
}

// costOf returns the predicted cost of `groups` workgroups that write `elements` elements of
// partial products if the inner dimension is split.
func (c chooser) costOf(x splitK, alongK, groups int, elements float64) float64 {
	t := c.tiles[x.tile]
	// `perUnit` is the number of workgroups that one compute unit runs in total, but at least the
	// number that keeps it busy.
	perUnit := max(float64(vk.Tiles(groups, uint32(c.units))), float64(t.Resident)*occupancy)
	cost := perUnit * t.step() * float64(x.depth+startSteps)
	// If the elements of a factor along the inner dimension are contiguous, a tile with a small K
	// reads only a part of each cache line.
	if t.K < lineElements {
		cost *= 1 + shortLines*float64(alongK)
	}
	if x.splits > 1 {
		cost += dispatchSteps*c.tiles[0].step() + partCost*elements/float64(c.units)
	}
	return cost
}

func (c chooser) choose(p problem) splitK {
	return c.known.of(p, func() splitK { return c.search(p) })
}

func (k *choices) of(p problem, search func() splitK) splitK {
	k.Lock()
	defer k.Unlock()
	best, ok := k.by[p]
	if !ok {
		if len(k.by) >= mostChoices {
			clear(k.by)
		}
		best = search()
		k.by[p] = best
	}
	return best
}

// search returns the tile and the split with the smallest cost. A split is allowed if its partial
// products fit the reserved memory, and if the pieces of all products fit one dimension of a grid.
func (c chooser) search(p problem) splitK {
	return c.cheapest(p, func(x splitK) float64 { return c.cost(x, p) })
}

func (c chooser) cheapest(p problem, costOf func(x splitK) float64) splitK {
	best, least := splitK{}, math.Inf(1)
	for i, t := range c.tiles {
		for pieces := 1; ; pieces = more(pieces) {
			x := c.split(i, p.k, pieces)
			if x.splits > 1 && (p.m*p.n*p.count*x.splits > c.capacity || p.count*x.splits > vk.MaxGroups()) {
				break
			}
			if cost := costOf(x); cost < least {
				best, least = x, cost
			}
			if x.depth <= int(t.K) { // a piece is one step of K already, so there cannot be more pieces
				break
			}
		}
	}
	return best
}

func (c chooser) unsplit(p problem) splitK {
	best, least := splitK{}, math.Inf(1)
	for i := range c.tiles {
		x := c.split(i, p.k, 1)
		if cost := c.cost(x, p); cost < least {
			best, least = x, cost
		}
	}
	return best
}

// `more` returns the number of pieces to try after `pieces`. The sequence is 1, 2, 3 … 15, 16, 24,
// 32, 48 …
func more(pieces int) int {
	if pieces < 16 {
		return pieces + 1
	}
	if pieces&(pieces-1) == 0 {
		return pieces / 2 * 3
	}
	return pieces / 3 * 4
}

// split divides an inner dimension of k into at most the given number of pieces, whose length is a
// multiple of the tile's K.
func (c chooser) split(tile, k, pieces int) splitK {
	step := int(c.tiles[tile].K)
	depth := max((k+pieces-1)/pieces, 1)
	depth = (depth + step - 1) / step * step
	return splitK{tile, max((k+depth-1)/depth, 1), depth}
}

// Chooser chooses tiles for kernels of other packages that compute many small products in one
// dispatch (stedc_multiply). Such a kernel has its own code for each tile, and does not split the
// inner dimension.
type Chooser struct{ c chooser }

// NewChooser expects a tuning that fits the device (see Tuning.Fits).
func NewChooser(t Tuning) Chooser { return Chooser{newChooser(t)} }

func (c Chooser) Tiles() []Tile { return c.c.tiles }

// Choose returns the index of the tile for s.Count products of s.M×s.K by s.K×s.N matrices, without
// transposition.
func (c Chooser) Choose(s Shape) int {
	return c.c.unsplit(problem{m: s.M, n: s.N, k: s.K, count: s.Count, alongK: 1}).tile
}
