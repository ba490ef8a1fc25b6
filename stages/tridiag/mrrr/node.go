package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// node is a node of the representation tree: the root of a block, a cluster, or a single
// eigenvalue. It consists of the members with the indices from, …, to−1 of the block. A member is
// an eigenvalue that is needed.
type node struct {
	*block
	from, to    int
	slot        int32   // column of the representation in memory, or RootSlot
	sigma       float64 // the representation is that of T − σ·I
	left, right float64 // distances to the next members outside; infinite if there are none
}

// parts divides a node wherever the distance of two neighbouring eigenvalues is at least `gap`
// times the larger magnitude of the two. A part with one eigenvalue is a single eigenvalue, and a
// larger part is a cluster.
func (p node) parts(gap float64) (parts []node) {
	part := p
	for i := p.from; i < p.to; i++ {
		part.to, part.right = i+1, p.right
		if i+1 < p.to {
			a, b := p.members[i], p.members[i+1]
			part.right = b.lo - a.hi
			if !(part.right >= gap*max(math.Abs(a.lo), math.Abs(b.hi))) {
				continue
			}
		}
		parts = append(parts, part)
		part.from, part.left = i+1, part.right
	}
	return parts
}

func (p node) task(i int) Task {
	return Task{Lo: int32(p.lo), Hi: int32(p.hi), Slot: p.slot, Index: int32(p.first + i)}
}

func (p node) askVector(l *Level) {
	m := p.members[p.from]
	l.Vectors, l.Column = append(l.Vectors, p.task(p.from)), append(l.Column, m.column)
	l.Lo, l.Hi, l.Gap = append(l.Lo, m.lo), append(l.Hi, m.hi), append(l.Gap, min(p.left, p.right))
	l.Lambda, l.Residual = append(l.Lambda, 0), append(l.Residual, 0)
}

// askChild adds a cluster to the work of the level l: its new representation, and the intervals of
// its members. The candidates for the shift τ come in pairs: one on the left and one on the right
// of the cluster. The first pair is as close to the cluster as the intervals allow, and later pairs
// are further away, if that is possible within a quarter of the distance to the next eigenvalue
// outside the cluster.
func (p node) askChild(l *Level) {
	c := len(l.Clusters)
	l.Clusters, l.Child = append(l.Clusters, p.task(p.from)), append(l.Child, int32(p.from))
	l.Chosen, l.Growth = append(l.Chosen, 0), append(l.Growth, 0)
	lo, hi := p.members[p.from].lo, p.members[p.to-1].hi
	mean := (hi - lo) / float64(p.to-p.from-1)
	nearest := 2 * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi))
	for j := range Candidates / 2 {
		delta := nearest
		if j > 0 {
			delta = max(nearest*math.Ldexp(1, 3*j), mean*math.Ldexp(1, 2*j-4))
		}
		l.Shifts = append(l.Shifts, lo-max(nearest, min(delta, p.left/4)), hi+max(nearest, min(delta, p.right/4)))
	}
	for i := p.from; i < p.to; i++ {
		task := p.task(i)
		task.Slot = int32(p.from)
		l.Members, l.Of = append(l.Members, task), append(l.Of, int32(c))
		l.MemberLo, l.MemberHi = append(l.MemberLo, p.members[i].lo), append(l.MemberHi, p.members[i].hi)
	}
}

// acceptChild gives the node p the new representation of its cluster, which is cluster c of the
// level l. If the representation cannot be used, the node's block is marked as failed, and as
// hopeless if the factorisation broke down. `member` is the index in the level of the first member
// of the cluster. acceptChild returns the index of the first member of the next cluster.
func (p *node) acceptChild(l *Level, c, member int) int {
	tau := l.Shifts[c*Candidates+int(l.Chosen[c])]
	lo, hi := p.members[p.from].lo-min(p.left/2, 1), p.members[p.to-1].hi+min(p.right/2, 1)
	// Large elements of the child do no harm if the vectors are small in the rows of these elements,
	// or if two large elements cancel. The function check detects later whether they did harm. Only if
	// the factorisation broke down, the child cannot be used at all.
	if math.IsInf(l.Growth[c], 1) {
		p.failed, p.hopeless = true, true
	}
	for i := p.from; i < p.to; i++ {
		m := &p.members[i]
		m.lo, m.hi = l.MemberLo[member], l.MemberHi[member]
		// The parent's representation did not determine this eigenvalue accurately: according to the
		// child's representation, it lies outside the cluster.
		if !(m.lo+tau >= lo && m.hi+tau <= hi) {
			p.failed = true
		}
		member++
	}
	p.slot, p.sigma = int32(p.from), p.sigma+tau
	return member
}
