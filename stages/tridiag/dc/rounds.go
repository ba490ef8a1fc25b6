package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Rounds makes a WholeBackend from a Backend. It decides the deflation between the levels, on the
// host.
type Rounds struct{ Backend }

// round holds the state between two calls of the back end. d, e and `order` are the slices of type
// solution. `rows` holds the first and last rows of Q's blocks.
type round struct {
	d, e  []float64
	order []int32
	rows  Rows
}

// Values implements WholeBackend. It calls Roots of the Backend once per level.
func (b Rounds) Values(tree Tree, d, e []float64, order []int32) ([][]*Merge, error) {
	// QL iteration decomposes each leaf, a small diagonal block of T, into Q·diag(d)·Qᵀ.
	r := round{d: d, e: e, order: order, rows: NewRows(len(d))}
	if err := b.Leaves(tree, d, e, r.rows); err != nil {
		return nil, err
	}
	levels := make([][]*Merge, len(tree.Levels))
	for level, pairs := range tree.Levels {
		// Deflate: find the columns of Q that are eigenvectors of the merged block already.
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = r.merge(pairs[i]) })

		// Find the roots λ of D + ρ·z·zᵀ, the weights ẑ, and two rows of the new vectors.
		if err := b.Roots(merges); err != nil {
			return nil, err
		}
		tridiag.Parallel(len(merges), func(i int) { r.accept(merges[i]) })
		levels[level] = merges
	}
	return levels, nil
}

// merge prepares the merge of the two solved blocks p: it finds the poles and the deflated columns.
func (r *round) merge(p Pair) *Merge {
	lo, mid, hi := p.Lo, p.Lo+p.N1, p.Hi()
	d, rho := r.d[lo:hi], r.e[mid-1]
	order := MergedOrder(d, r.order[lo:mid], r.order[mid:hi])
	return Deflate(p, d, r.rows.Of(lo, hi), order, rho)
}

// accept copies the values and rows of the merge m, whose roots have been found.
func (r *round) accept(m *Merge) {
	d := r.d[m.Lo:m.Hi()]
	m.values(d)
	copy(r.rows.First[m.Lo:], m.Q.First)
	copy(r.rows.Last[m.Lo:], m.Q.Last)
	copy(r.order[m.Lo:], m.Order(d))
}
