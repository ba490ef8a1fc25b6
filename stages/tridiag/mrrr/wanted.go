package mrrr

import (
	"cmp"
	"math"
	"slices"
)

// setCandidates sets the members of a block: the eigenvalues that may be wanted, and one more on
// each side, because distances to neighbours are needed. If T has several blocks, it is not known
// yet which eigenvalues of the block are wanted, so all its eigenvalues become members.
func (s *solution) setCandidates(b *block) {
	from, to := 0, b.n()
	if len(s.blocks) == 1 {
		from, to = max(0, s.from-1), min(to, s.to+1)
	}
	b.first, b.members = from, make([]member, to-from)
}

// assignColumns assigns columns of the result to the wanted eigenvalues, in ascending order over
// all blocks. It removes the other eigenvalues from the blocks, except one on each side of the
// wanted ones.
func (s *solution) assignColumns() {
	// place is one eigenvalue in the scale of T, in which eigenvalues of different blocks can be
	// compared.
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
	// `all` holds the computed eigenvalues in ascending order, and `skip` of them come before the
	// first wanted one. If T has only one block, `all` begins at the eigenvalue with index `first`.
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

// wanted returns the range of indices of a block's wanted eigenvalues, which follow one another.
// The range is empty if no eigenvalue is wanted.
func (b *block) wanted() (from, to int) {
	i := slices.IndexFunc(b.members, func(m member) bool { return m.column >= 0 })
	if i < 0 {
		return b.first, b.first
	}
	return b.first + i, b.first + i + len(b.vectors().Columns)
}

func (b *block) vectors() Block {
	v := Block{Lo: int32(b.lo), Hi: int32(b.hi)}
	for _, m := range b.members {
		if m.column >= 0 {
			v.Columns = append(v.Columns, m.column)
		}
	}
	return v
}
