package product

import (
	"math"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// splitK says how one product is spread over the device. tile is an index into the table of tiles,
// splits is the number of pieces of the inner dimension, and depth is the length of a piece. splits
// is at least 1, and splits·depth is at least the inner dimension.
type splitK struct{ tile, splits, depth int }

// problem holds the properties on which the choice of tile and split depends: count products of m×k
// by k×n. It is comparable, because it is the key of the cached choices.
type problem struct {
	m, n, k, count int
	alongK         int // factors whose memory runs along the inner dimension, 0 to 2
}

// chooser chooses tiles and splits by a model of costs. The model uses shapes only, so equal
// products get equal splits and their results equal bits. Several goroutines may use a chooser.
type chooser struct {
	tiles    []Tile
	units    int     // of the device
	capacity int     // elements that all partial products of one dispatch may have together
	dispatch float64 // Tuning.Dispatch
	known    *choices
}

// within is the number of parts, of the given flops each, that one dispatch may have. It is at
// least 1.
func (c chooser) within(flops float64) int { return partsWithin(c.dispatch, flops) }

func partsWithin(dispatch, flops float64) int {
	if dispatch <= 0 || flops <= 0 || dispatch/flops > math.MaxInt32 {
		return math.MaxInt32
	}
	return max(1, int(dispatch/flops))
}

// choices is a cache of computed answers. A plan asks for the same answers in each run, except that
// the number of vectors may differ from matrix to matrix. When there are more than mostChoices
// answers, all are dropped.
type choices struct {
	sync.Mutex
	by map[problem]splitK
}

// mostChoices is far more than the choices of one solve, of any order that fits a device.
const mostChoices = 1 << 16

// newChooser allows partial products of twice the tiles that a full device computes at once. The
// tuning t must have at least one tile.
func newChooser(t Tuning) chooser {
	c := chooser{tiles: t.Tiles, units: t.Units, dispatch: t.Dispatch, known: &choices{by: map[problem]splitK{}}}
	for _, x := range t.Tiles {
		c.capacity = max(c.capacity, 2*t.Units*int(x.Resident)*int(x.M*x.N))
	}
	return c
}

// The model of costs counts the instructions of one unit of the device. In a step of the inner
// dimension an invocation does ThreadM·ThreadN multiplications and reads ThreadM + ThreadN numbers.
// The constants are rounded from what is known of an H200; only their order of magnitude matters.
const (
	startSteps    = 64   // a workgroup's first loads and its access to C, in steps
	dispatchSteps = 20   // the dispatch that sums, in steps of the first tile
	partCost      = 64   // writing and reading one element of a partial product
	occupancy     = 0.75 // part of the workgroups that a unit can hold, sufficient to hide latency
	lineElements  = 16   // elements of a cache line of 128 bytes
	shortLines    = 0.17 // extra cost for each factor that a shallow tile reads in parts of a line
)

// step is the cost of one step of the inner dimension for one workgroup.
func (t Tile) step() float64 {
	return float64(t.threads()) * float64(t.ThreadM*t.ThreadN+t.ThreadM+t.ThreadN)
}

// cost is the predicted cost of all products of p, with the tile and the split x. Workgroups spread
// evenly over the units of the device. A unit with less than three quarters of the workgroups that
// it can hold runs no faster than one with three quarters. The unit of cost is arbitrary: only
// comparisons for the same p have a meaning.
func (c chooser) cost(x splitK, p problem) float64 {
	t := c.tiles[x.tile]
	// groups is the number of workgroups of the product. perUnit is the number of them that one
	// unit runs, one after another or together.
	groups := vk.Tiles(p.m, t.M) * vk.Tiles(p.n, t.N) * p.count * x.splits
	perUnit := max(float64(vk.Tiles(groups, uint32(c.units))), float64(t.Resident)*occupancy)
	cost := perUnit * t.step() * float64(x.depth+startSteps)
	// A tile with small K reads only a part of each cache line of a factor that lies along the
	// inner dimension.
	if t.K < lineElements {
		cost *= 1 + shortLines*float64(p.alongK)
	}
	// The sum of partial products is another dispatch, which reads them. The product writes them.
	if x.splits > 1 {
		elements := float64(p.m) * float64(p.n) * float64(p.count*x.splits)
		cost += dispatchSteps*c.tiles[0].step() + partCost*elements/float64(c.units)
	}
	return cost
}

// choose returns the cheapest tile and split for p.
func (c chooser) choose(p problem) splitK {
	c.known.Lock()
	defer c.known.Unlock()
	best, ok := c.known.by[p]
	if !ok {
		if len(c.known.by) >= mostChoices {
			clear(c.known.by)
		}
		best = c.search(p)
		c.known.by[p] = best
	}
	return best
}

// search tries all tiles and splits. A split is allowed if its partial products fit the memory that
// is reserved for them, and if its pieces fit one dimension of a grid.
func (c chooser) search(p problem) splitK {
	best, least := splitK{}, math.Inf(1)
	for i, t := range c.tiles {
		for pieces := 1; ; pieces = more(pieces) {
			x := c.split(i, p.k, pieces)
			if x.splits > 1 && (p.m*p.n*p.count*x.splits > c.capacity || p.count*x.splits > vk.MaxGroups()) {
				break
			}
			if cost := c.cost(x, p); cost < least {
				best, least = x, cost
			}
			if x.depth <= int(t.K) { // more pieces would be the same ones
				break
			}
		}
	}
	return best
}

// unsplit returns the cheapest tile when the inner dimension is not split.
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

// more is the next number of pieces to try. The sequence is 1, 2, 3, 4, 6, 8, 12, 16 …
func more(pieces int) int {
	if pieces&(pieces-1) == 0 && pieces > 1 {
		return pieces / 2 * 3
	}
	return max(pieces/3*4, 2)
}

// split divides an inner dimension of k into at most the given number of pieces. The depth of each
// is a multiple of the tile's K.
func (c chooser) split(tile, k, pieces int) splitK {
	step := int(c.tiles[tile].K)
	depth := max((k+pieces-1)/pieces, 1)
	depth = (depth + step - 1) / step * step
	return splitK{tile, max((k+depth-1)/depth, 1), depth}
}

// Chooser chooses tiles for kernels of other packages that compute many small products in one
// dispatch (stedc_multiply). It uses the same model of costs.
//
// Such a kernel has its own code for each tile, and no partial sums.
type Chooser struct{ c chooser }

// NewChooser makes a chooser for a tuning that fits the device (see Tuning.Fits).
func NewChooser(t Tuning) Chooser { return Chooser{newChooser(t)} }

// Tiles is the table of tiles.
func (c Chooser) Tiles() []Tile { return c.c.tiles }

// Choose is the index of the tile for s.Count products of s.M×s.K by s.K×s.N, neither factor
// transposed.
func (c Chooser) Choose(s Shape) int {
	return c.c.unsplit(problem{m: s.M, n: s.N, k: s.K, count: s.Count, alongK: 1}).tile
}
