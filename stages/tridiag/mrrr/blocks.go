package mrrr

import (
	"cmp"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// solution is one solution under way.
type solution struct {
	backend  Backend
	d, e     []float64 // of the scaled blocks
	blocks   []*block
	from, to int
	counters Counters
	rep      []float64 // the roots
}

// block is rows [lo, hi) of T, multiplied by 2^−exponent.
type block struct {
	lo, hi, exponent int
	members          []member // consecutive eigenvalues
	first            int      // the index of members[0]

	sigma    float64 // the root is T − σ·I
	negative bool    // definite: σ is above all eigenvalues
	least    float64 // no eigenvalue of the root is smaller in magnitude
	most     float64 // or larger
	failed   bool
	lost     bool // and there is no use in another root
}

// member is one eigenvalue.
type member struct {
	lo, hi float64 // relative to the representation of its node
	value  float64 // in the end
	column int32   // of its vector; −1 if that is not wanted
}

func (b *block) n() int                   { return b.hi - b.lo }
func (b *block) member(index int) *member { return &b.members[index-b.first] }

// vectors returns the columns of all wanted members.
func (b *block) vectors() Block {
	v := Block{Lo: int32(b.lo), Hi: int32(b.hi)}
	for _, m := range b.members {
		if m.column >= 0 {
			v.Columns = append(v.Columns, m.column)
		}
	}
	return v
}

// wanted returns the range of indices that are wanted.
func (b *block) wanted() (from, to int) {
	i := slices.IndexFunc(b.members, func(m member) bool { return m.column >= 0 })
	if i < 0 {
		return b.first, b.first
	}
	return b.first + i, b.first + i + len(b.vectors().Columns)
}

// newSolution splits T where an off-diagonal is as small as the rounding errors of ‖T‖, and
// scales each block, so that its largest element is in [½, 1).
func newSolution(backend Backend, d, e []float64, opt Options) (*solution, error) {
	n := len(d)
	if len(e) < n-1 {
		panic("mrrr: the off-diagonal is shorter than n-1")
	}
	if err := tridiag.CheckFinite(d, e); err != nil {
		return nil, err
	}
	s := &solution{backend: backend, d: slices.Clone(d), e: slices.Clone(e[:max(n-1, 0)]), from: opt.From, to: opt.To, rep: make([]float64, 2*n)}
	norm := tridiag.Largest(s.d, s.e)
	for lo := 0; lo < n && s.from < s.to; {
		hi := lo + 1
		for hi < n && math.Abs(e[hi-1]) > tridiag.Ulp/2*norm && !tridiag.Negligible(e[hi-1], d[hi-1], d[hi]) {
			hi++
		}
		b := &block{lo: lo, hi: hi}
		_, b.exponent = math.Frexp(tridiag.Largest(s.d[lo:hi], s.e[lo:hi-1]))
		for i := lo; i < hi; i++ {
			s.d[i] = math.Ldexp(s.d[i], -b.exponent)
			if i < hi-1 {
				s.e[i] = math.Ldexp(s.e[i], -b.exponent)
			}
		}
		s.blocks = append(s.blocks, b)
		lo = hi
	}
	s.counters.Blocks = len(s.blocks)
	return s, nil
}

// root makes the block's root representation. σ lies outside of Gerschgorin's
// discs, on one side or the other, so all pivots have one sign and none is larger than
// the spectrum is wide. The representation is then moved by some
// ulps, at random: eigenvalues of T may agree to the last digit, those of a neighbour of
// T do not (Dhillon, Parlett and Vömel 2005). Later attempts move it further.
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
	pert := perturbation * tridiag.Ulp * math.Pow(perturbationGrowth, float64(attempt))
	var dp float64
	for i := range d {
		dp2 := d[i] - b.sigma
		if i > 0 {
			dp2 -= float64(e[i-1] * e[i-1] / dp)
		}
		dp = dp2
		var l float64
		if i < len(e) {
			l = e[i] / dp
		}
		at := s.rep[2*(b.lo+i):]
		at[0] = dp * (1 + float64(pert*random(b.lo+i, 2*attempt)))
		at[1] = l * (1 + float64(pert*random(b.lo+i, 2*attempt+1)))
	}
}

const (
	perturbation       = 1 // ulps
	perturbationGrowth = 4 // times, every attempt
)

// random is in [−1, 1): a number for each place and use.
func random(i, use int) float64 {
	x := (uint64(i)*16 + uint64(use) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64(int64(x^x>>31)) * 0x1p-63
}

// begin brackets the members of the blocks by counts on a grid, then by bisection.
func (s *solution) begin(blocks []*block, rtol float64) error {
	var tasks []Task
	var x []float64
	for _, b := range blocks {
		for j := range b.grid(s.n()) {
			tasks = append(tasks, Task{Lo: int32(b.lo), Hi: int32(b.hi), Slot: RootSlot})
			x = append(x, b.point(j, s.n()))
		}
	}
	counts, err := s.backend.Count(tasks, x)
	if err != nil {
		return err
	}
	var lo, hi []float64
	tasks = tasks[:0]
	for _, b := range blocks {
		g := b.grid(s.n())
		below := 0
		j := 0
		for i := range b.members {
			k := b.first + i
			for j < g {
				if below = max(below, int(counts[j])); below > k {
					break
				}
				j++
			}
			tasks = append(tasks, Task{Lo: int32(b.lo), Hi: int32(b.hi), Slot: RootSlot, Index: int32(k)})
			lo, hi = append(lo, b.point(j-1, s.n())), append(hi, b.point(j, s.n()))
		}
		counts = counts[g:]
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

func (s *solution) n() int { return len(s.d) }

// grid is how many points of the spectrum are counted at, for a block of a matrix of order n.
func (b *block) grid(n int) int { return min(GridPoints*b.n()/n, GridPointsPerRow*b.n()) }

const (
	// GridPoints is how many points are counted at in all, at most, and GridPointsPerRow how many for a row of T.
	GridPoints       = 1 << 15
	GridPointsPerRow = 16
)

// point returns grid point j; −1 and the number of points are the ends of the spectrum.
func (b *block) point(j, n int) float64 {
	lo, hi := b.least, b.most
	if b.negative {
		lo, hi = -b.most, -b.least
	}
	g := b.grid(n)
	switch j {
	case -1:
		return lo
	case g:
		return hi
	}
	return lo + (hi-lo)*float64(j+1)/float64(g+1)
}

// candidates are the eigenvalues of a block that may be wanted, and one more on each side, so that
// distances are known.
func (s *solution) candidates(b *block) {
	from, to := 0, b.n()
	if len(s.blocks) == 1 {
		from, to = max(0, s.from-1), min(to, s.to+1)
	}
	b.first, b.members = from, make([]member, to-from)
}

// choose gives the wanted members their columns, and drops the others but for one on each side.
func (s *solution) choose() {
	type place struct {
		*member
		at float64
	}
	var all []place
	for _, b := range s.blocks {
		for i := range b.members {
			m := &b.members[i]
			m.column = -1
			all = append(all, place{m, math.Ldexp(b.sigma+0.5*(m.lo+m.hi), b.exponent)})
		}
	}
	slices.SortStableFunc(all, func(x, y place) int { return cmp.Compare(x.at, y.at) })
	skip := s.from
	if len(s.blocks) == 1 {
		skip -= s.blocks[0].first
	}
	for j, p := range all[skip : skip+s.to-s.from] {
		p.column = int32(j)
	}
	for _, b := range s.blocks {
		from, to := b.wanted()
		if from == to {
			b.members = nil
			continue
		}
		from, to = max(b.first, from-1), min(b.first+len(b.members), to+1)
		b.members = b.members[from-b.first : to-b.first]
		b.first = from
	}
}
