package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	// perturbation is the largest relative change, in ulps, of an element of a root representation
	// in the first attempt. Each further attempt multiplies it by perturbationGrowth.
	perturbation       = 1
	perturbationGrowth = 4

	// GridPoints is the largest number of points, for all blocks together, at which eigenvalues are
	// counted before bisection. GridPointsPerRow is the largest number of points for each row of T.
	GridPoints       = 1 << 15
	GridPointsPerRow = 16
)

// root computes the root representation of a block, T − σ·I = L·D·Lᵀ. σ lies outside Gershgorin's
// discs: below all eigenvalues in attempts 0, 2, …, and above all eigenvalues in attempts 1, 3, ….
// All pivots then have the same sign, and none is larger than b.most, about the width of all discs
// together.
//
// The elements are then changed by some ulps, at random. Eigenvalues of T may agree in all digits,
// but the eigenvalues of a random neighbour of T do not (Dhillon, Parlett and Vömel 2005).
//
// The result depends only on T and on `attempt`, so that every back end gets the same bits.
func (s *solution) root(b *block, attempt int) {
	d, e := s.d[b.lo:b.hi], s.e[b.lo:b.hi-1]
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range d {
		var radius float64
		if i > 0 {
			radius = math.Abs(e[i-1])
		}
		if i < len(e) {
			radius += math.Abs(e[i])
		}
		lo, hi = min(lo, d[i]-radius), max(hi, d[i]+radius)
	}
	b.least = 4 * float64(b.n()) * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi), 1)
	b.most = hi - lo + 4*b.least
	b.sigma, b.negative = lo-2*b.least, attempt%2 == 1
	if b.negative {
		b.sigma = hi + 2*b.least
	}
	change := perturbation * tridiag.Ulp * math.Pow(perturbationGrowth, float64(attempt))
	var pivot float64
	for i := range d {
		next := d[i] - b.sigma
		if i > 0 {
			next -= float64(e[i-1] * e[i-1] / pivot)
		}
		pivot = next
		var l float64
		if i < len(e) {
			l = e[i] / pivot
		}
		row := s.roots[2*(b.lo+i):]
		row[0] = pivot * (1 + float64(change*random(b.lo+i, 2*attempt)))
		row[1] = l * (1 + float64(change*random(b.lo+i, 2*attempt+1)))
	}
}

// random returns a pseudorandom number in [−1, 1) that depends only on i and `use`. `use` must be
// below 16, because larger values give the same numbers as index i + 1.
func random(i, use int) float64 {
	x := (uint64(i)*16 + uint64(use) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64(int64(x^x>>31)) * 0x1p-63
}

// bracket finds an interval for each member of the blocks, in their root representations. It counts
// eigenvalues on a grid, and then bisects until the length of each interval is at most `rtol`
// relative to its ends. The counts of the grid are made monotone, so that the intervals of
// neighbouring members are in order.
func (s *solution) bracket(blocks []*block, rtol float64) error {
	var tasks []Task
	var x []float64
	for _, b := range blocks {
		for j := range b.gridPoints(s.n()) {
			tasks = append(tasks, Task{Lo: int32(b.lo), Hi: int32(b.hi), Slot: RootSlot})
			x = append(x, b.gridPoint(j, s.n()))
		}
	}
	counts, err := s.backend.Count(tasks, x)
	if err != nil {
		return err
	}
	var lo, hi []float64
	tasks = tasks[:0]
	for _, b := range blocks {
		points := b.gridPoints(s.n())
		below := 0 // the largest count so far: rounding errors must not make counts descend
		j := 0
		for i := range b.members {
			k := b.first + i
			for j < points {
				if below = max(below, int(counts[j])); below > k {
					break
				}
				j++
			}
			tasks = append(tasks, Task{Lo: int32(b.lo), Hi: int32(b.hi), Slot: RootSlot, Index: int32(k)})
			lo, hi = append(lo, b.gridPoint(j-1, s.n())), append(hi, b.gridPoint(j, s.n()))
		}
		counts = counts[points:]
	}
	if err := s.backend.Bisect(tasks, lo, hi, rtol); err != nil {
		return err
	}
	for _, b := range blocks {
		for i := range b.members {
			b.members[i].lo, b.members[i].hi = lo[i], hi[i]
		}
		lo, hi = lo[len(b.members):], hi[len(b.members):]
	}
	return nil
}

func (b *block) gridPoints(n int) int { return min(GridPoints*b.n()/n, GridPointsPerRow*b.n()) }

// gridPoint returns point number j of the grid for the block's root representation. n is the order
// of T. Points −1 and gridPoints are the ends of an interval that contains all eigenvalues. The
// points ascend with j.
func (b *block) gridPoint(j, n int) float64 {
	lo, hi := b.least, b.most
	if b.negative {
		lo, hi = -b.most, -b.least
	}
	points := b.gridPoints(n)
	switch j {
	case -1:
		return lo
	case points:
		return hi
	}
	return lo + (hi-lo)*float64(j+1)/float64(points+1)
}
