package dc

import (
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Options tunes the divide-and-conquer solver. The zero value is good.
type Options struct {
	// LeafSize is the order up to which a block is solved by QL iteration.
	LeafSize int

	// From and To ask for the vectors of values[From:To] alone; 0, 0 is all. The
	// last products, three quarters of the work, shrink with their number.
	From, To int

	// ValuesOnly leaves out the second pass.
	ValuesOnly bool
}

const defaultLeaf = 32

// Solve returns the eigenvalues of T, ascending, and the n×n matrix of its
// eigenvectors, column-major: T = Z·diag(values)·Zᵀ, or the columns asked for. T
// has the diagonal d (n) and the off-diagonal e (n−1, or more, which is ignored);
// both are left as they are.
func Solve(d, e []float64, opt Options) (values, z []float64, err error) {
	q := NewHost(len(d))
	values, err = SolveWith(q, d, e, opt)
	return values, q.vectors(), err
}

// Values returns the eigenvalues alone, with O(n) memory.
func Values(d, e []float64, opt Options) ([]float64, error) {
	opt.ValuesOnly = true
	return SolveWith(NewHost(len(d)), d, e, opt)
}

// SolveWith is the general form: it leaves the eigenvectors in q.
func SolveWith(q Backend, d, e []float64, opt Options) ([]float64, error) {
	t, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}
	if err := q.Leaves(t.Tree, t.d, t.e, t.rows); err != nil {
		return nil, err
	}
	t.leavesAscend()
	levels := make([][]*Merge, len(t.Levels))
	for i, pairs := range t.Levels {
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = t.merge(pairs[i]) })
		if err := q.Roots(merges); err != nil {
			return nil, err
		}
		tridiag.Parallel(len(merges), func(i int) { t.merged(merges[i]) })
		levels[i] = merges
	}
	values, wanted := t.result(opt)
	if opt.ValuesOnly {
		return values, nil
	}
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.restrict(wanted)
		}
	}
	return values, q.Vectors(levels, wanted)
}

// ascending returns the permutation that makes v[order[i]] ascend. Equal numbers
// keep their places.
func ascending(v []float64) (order []int32) {
	order = make([]int32, len(v))
	for i := range order {
		order[i] = int32(i)
	}
	if slices.IsSorted(v) {
		return order
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return 0
	})
	return order
}
