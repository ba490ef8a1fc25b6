package bidiagonal

import "github.com/vkevd/vkevd/stages/tridiag/dc"

// Side names one side of a singular triplet (σ, w, s) of the bidiagonal matrix C, for which C·w =
// σ·s: that of the right singular vector w, or that of the left singular vector s.
type Side int

const (
	Right Side = iota // the vectors w, columns of W
	Left              // the vectors s, columns of S
)

// Sides is the order in which the vectors of the two sides are formed.
var Sides = [2]Side{Right, Left}

// Backend does the work of order n² and n³. It stores the matrices W and S of the right and left
// vectors of all solved blocks of C. W and S are block diagonal, with one diagonal block for each
// solved block of C.
//
// One goroutine makes the calls, in this order:
//
//	Leaves; Roots, once per level; Vectors, unless no vectors are wanted
type Backend interface {
	// Leaves starts a new problem with the merges of `tree`, and solves its leaves by QR iteration.
	// d and e are the diagonal and the superdiagonal of the bidiagonal matrix; e is not written.
	// The rows between leaves are torn out, and their d is zero, as the package comment explains.
	// Leaves writes the singular values to d, ascending in each leaf, and the first and the last
	// row of each leaf's right vectors to `rows`. If the last element of a leaf's d was zero, the
	// last row of the leaf is taken as torn out: its singular triplet comes first in the leaf, and
	// the left vector of this triplet is the last unit vector.
	Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error

	// Roots solves the secular equations of the merges of one level. It stores the roots in the
	// fields Right.Mu and Right.Origin of each merge. A merge has K columns that are not deflated.
	// Except in the last level, Roots also stores the first and the last elements of the K new
	// right vectors, in Right.Q.First and Right.Q.Last.
	Roots(merges []*Merge) error

	// Vectors merges the blocks of the right singular vectors W and of the left ones S, level by
	// level, as the type Merge describes. The two results have n rows and len(order) columns each,
	// and their zeros are stored, too. Column j of a result is column `order[j]` of W or S.
	Vectors(levels [][]*Merge, order []int32) error
}

func OneSide(levels [][]*Merge, side Side) [][]*dc.Merge {
	all := make([][]*dc.Merge, len(levels))
	for l, merges := range levels {
		all[l] = Of(merges, side)
	}
	return all
}

func Of(merges []*Merge, side Side) []*dc.Merge {
	of := make([]*dc.Merge, len(merges))
	for i, m := range merges {
		of[i] = m.Side(side)
	}
	return of
}
