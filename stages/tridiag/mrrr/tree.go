package mrrr

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	// Neighbouring eigenvalues are single if their distance is at least relativeGap times the
	// larger one. Their vectors are then orthogonal to some ulps divided by relativeGap. They need
	// to be orthogonal only to n·ulp, so for large n the relative gap may be relativeGapTimesN/n.
	relativeGap       = 1e-2
	relativeGapTimesN = 1.0

	// bracketPart limits the length of an eigenvalue's interval, relative to the distance to the
	// next eigenvalue, so that Rayleigh quotient iteration converges.
	bracketPart = 0x1p-10

	// maxDepth is the largest number of levels of a representation tree. A block that needs more is
	// marked as failed.
	maxDepth = 20

	// vectorResidualLimit is the limit of the residual of a vector, in units of n·ulp.
	vectorResidualLimit = 10
)

// attempt solves open blocks (neither solved nor hopeless) level by level, beginning at their root
// representations. If a block cannot be solved in this way, it is marked as failed. The first
// attempt has the number 0, and each uses other root representations. After an error of the back
// end the blocks are undefined.
func (s *solution) attempt(blocks []*block, attempt int) error {
	for _, b := range blocks {
		b.failed = false
		s.root(b, attempt)
		if attempt == 0 {
			s.setCandidates(b)
		}
	}
	if err := s.backend.Root(s.roots); err != nil {
		return err
	}
	gap := min(relativeGap, relativeGapTimesN/float64(s.n()))
	rtol := gap * bracketPart
	if len(s.blocks) > 1 {
		rtol = SharpTol // the columns of several blocks are ordered by these brackets
	}
	if err := s.bracket(blocks, rtol); err != nil {
		return err
	}
	if attempt == 0 {
		s.assignColumns()
	}
	// A block that fails is removed from the tree.
	var level []node
	for _, b := range blocks {
		level = append(level, node{b, 0, len(b.members), RootSlot, b.sigma, math.Inf(1), math.Inf(1)})
	}
	for depth := 1; len(level) > 0; depth++ {
		s.counters.Depth = max(s.counters.Depth, depth)
		next, err := s.descend(level, gap)
		if err != nil {
			return err
		}
		for _, c := range next {
			c.failed = c.failed || depth == maxDepth
		}
		level = slices.DeleteFunc(next, func(c node) bool { return c.failed })
	}
	return nil
}

// descend finds the vectors of all wanted single eigenvalues in the nodes of one level. It returns
// the clusters as nodes of the next level, with their own representations. An eigenvalue is single
// if its relative distance from its neighbours is at least `gap`. All nodes must belong to one
// level, because the representations of the next level may overwrite those of this level.
func (s *solution) descend(level []node, gap float64) ([]node, error) {
	var singles, clusters []node
	for _, parent := range level {
		for _, part := range parent.parts(gap) {
			if part.to-part.from > 1 {
				clusters = append(clusters, part)
			} else if part.members[part.from].column >= 0 {
				singles = append(singles, part)
			}
		}
	}
	if err := s.sharpen(clusters); err != nil {
		return nil, err
	}
	l := &Level{RTol: gap * bracketPart}
	for _, single := range singles {
		single.askVector(l)
	}
	for _, cluster := range clusters {
		cluster.askChild(l)
	}
	if err := s.backend.Level(l); err != nil {
		return nil, err
	}
	s.counters.Clusters += len(clusters)
	for i, single := range singles {
		single.members[single.from].value = single.sigma + l.Lambda[i]
		if !(l.Residual[i] <= vectorResidualLimit*tridiag.Ulp*float64(single.n())) {
			single.failed = true
		}
	}
	member := 0 // index in l.Members of the first member of cluster c
	for c := range clusters {
		member = clusters[c].acceptChild(l, c, member)
	}
	return clusters, nil
}

// A cluster is narrow if its width is at most narrowCluster times the length of the interval of its
// first or last member. Then its ends are not known accurately enough.
const narrowCluster = 16

// sharpen finds the ends of narrow clusters to the last digits, so that a shift can be close to the
// cluster. It changes only the intervals of their first and last members.
func (s *solution) sharpen(clusters []node) error {
	var tasks []Task
	var ends []*member
	var lo, hi []float64
	for _, c := range clusters {
		first, last := &c.members[c.from], &c.members[c.to-1]
		if last.hi-first.lo > narrowCluster*max(first.hi-first.lo, last.hi-last.lo) {
			continue
		}
		for _, i := range []int{c.from, c.to - 1} {
			task := c.task(i)
			task.Sharp = true
			m := &c.members[i]
			tasks, ends, lo, hi = append(tasks, task), append(ends, m), append(lo, m.lo), append(hi, m.hi)
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	if err := s.backend.Bisect(tasks, lo, hi, SharpTol); err != nil {
		return err
	}
	for i, m := range ends {
		m.lo, m.hi = lo[i], hi[i]
	}
	return nil
}
