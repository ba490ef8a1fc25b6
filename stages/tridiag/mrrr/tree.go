package mrrr

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// treeNode is a block's root or a cluster: members [from, to) of the block, closer to each
// other than to those at the left and the right.
type treeNode struct {
	*block
	from, to    int
	slot        int32   // of the representation
	sigma       float64 // which is T − σ·I
	left, right float64 // distances to what is not in the cluster
}

const (
	// Eigenvalues stand apart if their distance is this part of the larger one. Their vectors
	// are then orthogonal to some ulps divided by it; so for large matrices, where that is held
	// against n·ulp, it may be smaller.
	relativeGap       = 1e-2
	relativeGapTimesN = 1.0 // beside n

	// bracketPart is the length of an interval, as part of such a distance, from where Rayleigh
	// quotients converge.
	bracketPart = 0x1p-10

	maxDepth = 20

	vectorResidualLimit = 10 // n·ulp
)

// attempt solves blocks from their roots on. A block for which that is impossible is marked.
func (s *solution) attempt(blocks []*block, attempt int) error {
	for _, b := range blocks {
		b.failed = false
		s.root(b, attempt)
		if attempt == 0 {
			s.candidates(b)
		}
	}
	if err := s.backend.Root(s.rep); err != nil {
		return err
	}
	apart := min(relativeGap, relativeGapTimesN/float64(s.n()))
	rtol := apart * bracketPart
	if len(s.blocks) > 1 {
		rtol = SharpTol // the order of columns depends on it
	}
	if err := s.begin(blocks, rtol); err != nil {
		return err
	}
	if attempt == 0 {
		s.choose()
	}
	var level []treeNode
	for _, b := range blocks {
		level = append(level, treeNode{b, 0, len(b.members), RootSlot, b.sigma, math.Inf(1), math.Inf(1)})
	}
	for depth := 1; len(level) > 0; depth++ {
		s.counters.Depth = max(s.counters.Depth, depth)
		next, err := s.descend(level, apart)
		if err != nil {
			return err
		}
		for _, node := range next {
			node.failed = node.failed || depth == maxDepth
		}
		level = slices.DeleteFunc(next, func(node treeNode) bool { return node.failed })
	}
	return nil
}

// descend finds the vectors of all that stand apart in the nodes of one level, and makes nodes
// of the clusters.
func (s *solution) descend(level []treeNode, apart float64) ([]treeNode, error) {
	var singles, clusters []treeNode
	for _, node := range level {
		for _, part := range node.parts(apart) {
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
	l := &Level{RTol: apart * bracketPart}
	for _, node := range singles {
		node.ask(l)
	}
	for _, node := range clusters {
		node.askChild(l)
	}
	if err := s.backend.Level(l); err != nil {
		return nil, err
	}
	s.counters.Clusters += len(clusters)
	for i, node := range singles {
		node.members[node.from].value = node.sigma + l.Lambda[i]
		if !(l.Residual[i] <= vectorResidualLimit*tridiag.Ulp*float64(node.n())) {
			node.failed = true
		}
	}
	first := 0
	for c := range clusters {
		first = clusters[c].child(l, c, first)
	}
	return clusters, nil
}

// parts divides a node where neighbours stand apart.
func (node treeNode) parts(apart float64) (parts []treeNode) {
	part := node
	for i := node.from; i < node.to; i++ {
		part.to, part.right = i+1, node.right
		if i+1 < node.to {
			a, b := node.members[i], node.members[i+1]
			part.right = b.lo - a.hi
			if !(part.right >= apart*max(math.Abs(a.lo), math.Abs(b.hi))) {
				continue
			}
		}
		parts = append(parts, part)
		part.from, part.left = i+1, part.right
	}
	return parts
}

// sharpen finds the ends of clusters that are hardly wider than the intervals of their
// members, so that a shift can come close to them.
func (s *solution) sharpen(clusters []treeNode) error {
	var tasks []Task
	var ends []*member
	var lo, hi []float64
	for _, node := range clusters {
		a, b := &node.members[node.from], &node.members[node.to-1]
		if b.hi-a.lo > narrowCluster*max(a.hi-a.lo, b.hi-b.lo) {
			continue
		}
		for _, i := range []int{node.from, node.to - 1} {
			task := node.task(i)
			task.Sharp = true
			m := &node.members[i]
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

const narrowCluster = 16

// task asks the node's representation about member i.
func (node treeNode) task(i int) Task {
	return Task{Lo: int32(node.lo), Hi: int32(node.hi), Slot: node.slot, Index: int32(node.first + i)}
}

// ask asks for the vector of a node of one member.
func (node treeNode) ask(l *Level) {
	m := node.members[node.from]
	l.Vectors, l.Column = append(l.Vectors, node.task(node.from)), append(l.Column, m.column)
	l.Lo, l.Hi, l.Gap = append(l.Lo, m.lo), append(l.Hi, m.hi), append(l.Gap, min(node.left, node.right))
	l.Lambda, l.Residual = append(l.Lambda, 0), append(l.Residual, 0)
}

// askChild asks for a representation of the cluster. Shifts are tried on both sides of it, nearby and further
// away, but far from what else there is.
func (node treeNode) askChild(l *Level) {
	c := len(l.Clusters)
	l.Clusters, l.Child = append(l.Clusters, node.task(node.from)), append(l.Child, int32(node.from))
	l.Chosen, l.Growth = append(l.Chosen, 0), append(l.Growth, 0)
	lo, hi := node.members[node.from].lo, node.members[node.to-1].hi
	mean := (hi - lo) / float64(node.to-node.from-1)
	nearest := 2 * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi))
	for j := range Candidates / 2 {
		delta := nearest
		if j > 0 {
			delta = max(nearest*math.Ldexp(1, 3*j), mean*math.Ldexp(1, 2*j-4))
		}
		l.Shifts = append(l.Shifts, lo-max(nearest, min(delta, node.left/4)), hi+max(nearest, min(delta, node.right/4)))
	}
	for i := node.from; i < node.to; i++ {
		task := node.task(i)
		task.Slot = int32(node.from)
		l.Members, l.Of = append(l.Members, task), append(l.Of, int32(c))
		l.MemberLo, l.MemberHi = append(l.MemberLo, node.members[i].lo), append(l.MemberHi, node.members[i].hi)
	}
}

// child makes the node that of the cluster's own representation, number c of the level. Its members
// are those from t on; the next cluster's come after them.
func (node *treeNode) child(l *Level, c, t int) int {
	tau := l.Shifts[c*Candidates+int(l.Chosen[c])]
	lo, hi := node.members[node.from].lo-min(node.left/2, 1), node.members[node.to-1].hi+min(node.right/2, 1)
	// Large elements by themselves do no harm where the vectors are small, or where they come in
	// pairs; whether they did, check tells.
	if math.IsInf(l.Growth[c], 1) {
		node.failed, node.lost = true, true
	}
	for i := node.from; i < node.to; i++ {
		m := &node.members[i]
		m.lo, m.hi = l.MemberLo[t], l.MemberHi[t]
		// What has left the cluster was not determined by the representation.
		if !(m.lo+tau >= lo && m.hi+tau <= hi) {
			node.failed = true
		}
		t++
	}
	node.slot, node.sigma = int32(node.from), node.sigma+tau
	return t
}
