package bidiagonal

import "github.com/vkevd/vkevd/stages/tridiag/dc"

// Side tells left from right vectors: C·w = σ·s.
type Side int

const (
	Right Side = iota // the vectors w, columns of W
	Left              // the vectors s, columns of S
)

// Sides are all of them, in the order in which they are formed.
var Sides = [2]Side{Right, Left}

// Backend does the work of order n² and n³. It keeps W and S, both block diagonal with the same
// blocks, as dc.Backend keeps Q.
//
// One goroutine makes the calls, in this order:
//
//	Leaves   Roots, once per level   Vectors, unless no vectors are wanted
type Backend interface {
	// Leaves starts a new problem, with the merges of tree, and solves the leaves. d and e are the
	// diagonal and the superdiagonal of C; d is zero in rows that are torn out. On return, d has the
	// singular values, ascending in each leaf, and rows the first and the last row of each leaf's
	// right vectors. If the last element of a leaf's d was zero, the leaf's last row counts as torn
	// out: its triplet comes first in the leaf, and its left vector is the last unit vector. e is not
	// written.
	Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error

	// Roots solves the secular equations of the merges of one level: it sets Mu and Origin of
	// Merge.Right, and, unless it is the last level, the first K elements of its Q.First and Q.Last.
	Roots(merges []*Merge) error

	// Vectors merges blocks of W and of S, level by level, as Merge says. The results are
	// n×len(order), with all zeros in place: column j of each is column order[j] of W or S.
	Vectors(levels [][]*Merge, order []int32) error
}

// OneSide returns the merges of one side, level by level.
func OneSide(levels [][]*Merge, side Side) [][]*dc.Merge {
	all := make([][]*dc.Merge, len(levels))
	for l, merges := range levels {
		all[l] = Of(merges, side)
	}
	return all
}

// Of returns one side of each merge.
func Of(merges []*Merge, side Side) []*dc.Merge {
	of := make([]*dc.Merge, len(merges))
	for i, m := range merges {
		of[i] = m.Side(side)
	}
	return of
}
