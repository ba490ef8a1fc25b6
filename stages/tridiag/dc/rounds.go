package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Rounds makes a WholeBackend from a Backend: it decides the deflation on the host, between two
// levels of the tree.
type Rounds struct{ Backend }

// round is the state of a solve between two calls of the back end. d, e and `order` are those of
// the type solution. `rows` holds the first and the last row of the eigenvectors of each solved
// block.
type round struct {
	d, e  []float64
	order []int32
	rows  Rows
}

// Values implements WholeBackend. It calls the method Roots of the Backend once for each level.
func (b Rounds) Values(tree Tree, d, e []float64, order []int32) ([][]*Merge, error) {
	r := round{d: d, e: e, order: order, rows: NewRows(len(d))}
	if err := b.Leaves(tree, d, e, r.rows); err != nil {
		return nil, err
	}
	levels := make([][]*Merge, len(tree.Levels))
	for level, pairs := range tree.Levels {
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = r.merge(pairs[i]) })

		if err := b.Roots(merges); err != nil {
			return nil, err
		}
		tridiag.Parallel(len(merges), func(i int) { r.accept(merges[i]) })
		levels[level] = merges
	}
	return levels, nil
}

// merge finds the poles of the merge of the pair p, and the columns that are deflated.
func (r *round) merge(p Pair) *Merge {
	lo, mid, hi := p.Lo, p.Lo+p.N1, p.Hi()
	d, rho := r.d[lo:hi], r.e[mid-1]
	order := MergedOrder(d, r.order[lo:mid], r.order[mid:hi])
	return Deflate(p, d, r.rows.Of(lo, hi), order, rho)
}

// accept copies the eigenvalues of the merge m, and the first and last rows of its eigenvectors,
// after its roots have been found.
func (r *round) accept(m *Merge) {
	d := r.d[m.Lo:m.Hi()]
	m.values(d)
	copy(r.rows.First[m.Lo:], m.Q.First)
	copy(r.rows.Last[m.Lo:], m.Q.Last)
	copy(r.order[m.Lo:], m.Order(d))
}
