package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// node is a node of the representation tree: a block's root, a cluster, or a single eigenvalue. It
// is members [from, to) of the block.
type node struct {
	*block
	from, to    int
	slot        int32   // of the representation
	sigma       float64 // the representation is that of T − σ·I
	left, right float64 // distances to the next members outside; infinite if there are none
}

// parts divides a node where the distance of neighbours is at least gap times the larger one. A
// part of one member is a single eigenvalue, a larger part is a cluster.
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

// task is about member i, in the node's representation.
func (p node) task(i int) Task {
	return Task{Lo: int32(p.lo), Hi: int32(p.hi), Slot: p.slot, Index: int32(p.first + i)}
}

// askVector adds the vector of a single eigenvalue to what the back end has to do.
func (p node) askVector(l *Level) {
	m := p.members[p.from]
	l.Vectors, l.Column = append(l.Vectors, p.task(p.from)), append(l.Column, m.column)
	l.Lo, l.Hi, l.Gap = append(l.Lo, m.lo), append(l.Hi, m.hi), append(l.Gap, min(p.left, p.right))
	l.Lambda, l.Residual = append(l.Lambda, 0), append(l.Residual, 0)
}

// askChild adds a representation of the cluster to what the back end has to do. Candidates for its
// shift come in pairs, left and right of the cluster. The first pair is as close as the intervals
// allow, later pairs are further away; none is nearer than a quarter of the way to the next member
// outside.
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

// acceptChild makes the node that of the cluster's own representation, cluster c of the level. It
// fails the node's block if the representation cannot be used. Its members are those of the level
// from the given one on; it returns the first one of the next cluster.
func (p *node) acceptChild(l *Level, c, member int) int {
	tau := l.Shifts[c*Candidates+int(l.Chosen[c])]
	lo, hi := p.members[p.from].lo-min(p.left/2, 1), p.members[p.to-1].hi+min(p.right/2, 1)
	// Large elements do no harm where the vectors are small, or where two of them cancel. check
	// finds out whether they did harm. Only a factorisation that broke down is of no use.
	if math.IsInf(l.Growth[c], 1) {
		p.failed, p.hopeless = true, true
	}
	for i := p.from; i < p.to; i++ {
		m := &p.members[i]
		m.lo, m.hi = l.MemberLo[member], l.MemberHi[member]
		// The representation did not determine an eigenvalue that is now outside of the cluster.
		if !(m.lo+tau >= lo && m.hi+tau <= hi) {
			p.failed = true
		}
		member++
	}
	p.slot, p.sigma = int32(p.from), p.sigma+tau
	return member
}
