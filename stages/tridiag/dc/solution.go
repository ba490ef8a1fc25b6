package dc

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// solution is one solve in progress, between two calls of the back end.
type solution struct {
	tree   Tree
	blocks []block

	// d and e are at first the diagonal and the off-diagonal of T, after Tree.tear. When the block
	// of rows [lo, hi) is solved, d[lo:hi] has the eigenvalues of the block in the order of the
	// eigenvectors in the back end. e[hi−1] still has the off-diagonal element between rows hi−1
	// and hi.
	d, e []float64

	order []int32 // for each block of Q, the permutation that makes the block's part of d ascend; its numbers count from the block's first row
}

// newSolution copies T, splits it into blocks, scales each block and divides it into a tree. It
// panics if e is too short or if the range of vectors is not within [0, n]. The error is a
// *tridiag.NonFiniteError.
func newSolution(d, e []float64, opt Options) (*solution, error) {
	n := len(d)
	if len(e) < n-1 {
		panic("dc: the off-diagonal is shorter than n-1")
	}
	if opt.From < 0 || opt.To < opt.From || opt.To > n {
		panic("dc: no such range of vectors")
	}
	if err := tridiag.CheckFinite(d, e); err != nil {
		return nil, err
	}
	leafSize := opt.LeafSize
	if leafSize <= 0 {
		leafSize = defaultLeafSize
	}
	s := &solution{d: slices.Clone(d), e: slices.Clone(e[:max(n-1, 0)]), order: make([]int32, n)}
	s.blocks = split(d, e)
	for i := range s.blocks {
		b := &s.blocks[i]
		b.exponent = scale(s.d[b.lo:b.hi], s.e[b.lo:b.hi-1])
		s.tree.tear(s.d, s.e, b.lo, b.hi-b.lo, leafSize)
	}
	for _, l := range s.tree.Leaves {
		for i := range l.N1 {
			s.order[l.Lo+i] = int32(i)
		}
	}
	return s, nil
}

// result returns all eigenvalues in ascending order, with the scaling undone. The back end has the
// eigenvectors as the columns of a matrix. result also returns the numbers of the columns with the
// wanted vectors, in the order of their values.
func (s *solution) result(opt Options) (values []float64, wanted []int32) {
	v := make([]float64, len(s.d))
	for _, b := range s.blocks {
		for i := b.lo; i < b.hi; i++ {
			v[i] = math.Ldexp(s.d[i], b.exponent)
		}
	}
	order := s.order
	if len(s.blocks) > 1 {
		order = Ascending(v)
	}
	values = make([]float64, len(v))
	for j, c := range order {
		values[j] = v[c]
	}
	if opt.From == 0 && opt.To == 0 {
		return values, order
	}
	return values, order[opt.From:opt.To]
}

// MergedOrder returns the permutation that makes d ascend. d has two parts, and `upper` and `lower`
// are the permutations that make these parts ascend, each with index 0 at the beginning of its
// part. Equal numbers keep their order.
func MergedOrder(d []float64, upper, lower []int32) []int32 {
	order, n1 := make([]int32, 0, len(d)), int32(len(upper))
	for len(upper) > 0 && len(lower) > 0 {
		if u, l := upper[0], lower[0]+n1; d[l] < d[u] {
			order, lower = append(order, l), lower[1:]
		} else {
			order, upper = append(order, u), upper[1:]
		}
	}
	order = append(order, upper...)
	for _, l := range lower {
		order = append(order, l+n1)
	}
	return order
}

// Ascending returns the permutation `order` for which v[order[i]] ascends. Equal numbers keep their
// order.
func Ascending(v []float64) (order []int32) {
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
