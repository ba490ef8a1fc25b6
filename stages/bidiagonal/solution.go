package bidiagonal

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

type NonFiniteError struct {
	Row, Col int // row and column, counted from 0; Col is Row, or Row + 1 on the superdiagonal
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("bidiagonal matrix: element (%d, %d) is not finite", e.Row, e.Col)
}

// solution is one solve in progress, between two calls of the back end.
type solution struct {
	tree     dc.Tree
	d, e     []float64 // C, scaled
	exponent int       // C was divided by 2^exponent

	// `sigma` is at first the diagonal d, with zeros in the torn rows. When the block with rows
	// [lo, hi) is solved, sigma[lo:hi] has its singular values in the order of the singular vectors
	// in the back end.
	sigma []float64

	rows  dc.Rows // first and last rows of W's blocks
	order []int32 // for each block, the permutation that makes the block's part of sigma ascend; it counts from 0

	// null[lo] is, for a block that begins at row lo, the index of the column with its null vector;
	// column 0 is the block's first column. null[lo] is −1 if the block has no torn row.
	null []int32
	torn []bool // whether a row is torn out, by row
}

// newSolution copies and scales the bidiagonal matrix, splits it into blocks at negligible
// elements, and divides each block into a tree by tearing out rows. It panics if e is too short or
// if the range of vectors is not within [0, n].
func newSolution(d, e []float64, opt Options) (*solution, error) {
	n := len(d)
	if len(e) < n-1 {
		panic("bidiagonal: the superdiagonal is shorter than n-1")
	}
	if opt.From < 0 || opt.To < opt.From || opt.To > n {
		panic("bidiagonal: no such range of vectors")
	}
	if err := checkFinite(d, e); err != nil {
		return nil, err
	}
	s := &solution{d: slices.Clone(d), e: slices.Clone(e[:max(n-1, 0)]), rows: dc.NewRows(n),
		order: make([]int32, n), null: make([]int32, n), torn: make([]bool, n)}
	s.exponent = tridiag.Scale(s.d, s.e)
	s.sigma = slices.Clone(s.d)
	for lo := 0; lo < n; {
		hi := blockEnd(s.e, lo, n)
		s.tree.Halve(lo, hi-lo, opt.LeafSize, func(m int) { s.sigma[m-1], s.torn[m-1] = 0, true })
		lo = hi
	}
	return s, nil
}

// checkFinite returns a *NonFiniteError for the first element, row by row, that is NaN or infinite.
// Package tridiag gives the place of an element of e below the diagonal, so row and column are
// exchanged.
func checkFinite(d, e []float64) error {
	var below *tridiag.NonFiniteError
	if errors.As(tridiag.CheckFinite(d, e), &below) {
		return &NonFiniteError{Row: below.Col, Col: below.Row}
	}
	return nil
}

// blockEnd returns the row after the last row of the block that begins at row `first`. An element
// of e is taken as zero if its magnitude is at most the roundoff: C is scaled so that ½ ≤ ‖C‖ < 1,
// and the accuracy of the method is absolute. The limit also prevents the underflow of squares:
// inside a block every |e| is above the roundoff, and so is the norm of every merged block.
func blockEnd(e []float64, first, n int) int {
	for i := first; i < n-1; i++ {
		if math.Abs(e[i]) <= tridiag.Roundoff {
			return i + 1
		}
	}
	return n
}

// orderLeaves sets, for each leaf, the order of its singular values, which already ascend, and the
// column of its null vector (the fields `order` and `null`).
func (s *solution) orderLeaves() {
	for _, l := range s.tree.Leaves {
		for i := range l.N1 {
			s.order[l.Lo+i] = int32(i)
		}
		s.null[l.Lo] = -1
		if s.torn[l.Hi()-1] {
			s.null[l.Lo] = 0
		}
	}
}

// merge finds the poles of the merge of the pair p, and the columns that are deflated.
func (s *solution) merge(p dc.Pair) *Merge {
	lo, mid, hi := p.Lo, p.Lo+p.N1, p.Hi()
	sigma := s.sigma[lo:hi]
	lowerNull := s.null[mid]
	if lowerNull >= 0 {
		lowerNull += int32(p.N1)
	}
	return newMerge(blocks{
		Pair: p, sigma: sigma, rows: s.rows.Of(lo, hi),
		order:     dc.MergedOrder(sigma, s.order[lo:mid], s.order[mid:hi]),
		upperNull: s.null[lo], lowerNull: lowerNull,
		dk: s.d[mid-1], ek: s.e[mid-1],
	})
}

// accept copies the singular values of the merge m, and the first and last rows of its right
// vectors, after its roots have been found.
func (s *solution) accept(m *Merge) {
	r := m.Right
	sigma := s.sigma[r.Lo:r.Hi()]
	m.values(sigma)
	copy(s.rows.First[r.Lo:], r.Q.First)
	copy(s.rows.Last[r.Lo:], r.Q.Last)
	copy(s.order[r.Lo:], r.Order(sigma))
	s.null[r.Lo] = m.null
}

// result returns all singular values in descending order, with the scaling undone. The back end has
// the singular vectors as the columns of two matrices. result also returns the numbers of the
// columns with the wanted vectors, in the order of their values.
func (s *solution) result(opt Options) (values []float64, wanted []int32) {
	order := dc.Ascending(s.sigma)
	slices.Reverse(order)
	values = make([]float64, len(order))
	for j, c := range order {
		values[j] = math.Ldexp(s.sigma[c], s.exponent)
	}
	return values, order[opt.From:opt.To]
}
