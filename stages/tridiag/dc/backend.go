package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Backend does the work of order n² and n³. It stores the block diagonal matrix Q, whose blocks are
// the eigenvectors of the solved blocks of T. It need not store the zeros outside the blocks.
//
// One goroutine makes the calls, in this order:
//
//	Leaves; Roots, once per level; Vectors, unless only values are wanted
type Backend interface {
	// Leaves starts a new problem with the merges of `tree`, and solves its leaves by QL iteration.
	// d and e are the diagonal and the off-diagonal of T, after the elements between leaves were
	// torn out (see the package comment); e is not written. Leaves writes the eigenvalues to d,
	// ascending in each leaf, and the first and the last row of each leaf's vectors to `rows`. The
	// vectors stay in the back end. They are the diagonal blocks of a matrix Q.
	Leaves(tree Tree, d, e []float64, rows Rows) error

	// Roots solves the secular equations of the merges of one level. It stores the roots in the
	// fields Mu and Origin of each merge. A merge has K columns that are not deflated. Except in
	// the last level, Roots also stores the first and the last elements of the K new vectors, in
	// the fields Q.First and Q.Last.
	Roots(merges []*Merge) error

	// Vectors merges the diagonal blocks of Q, the vectors of the leaves, level by level, as the
	// type Merge describes. `levels` holds the merges that Roots received. The result has n rows
	// and len(order) columns, and its zeros are stored, too. Column j of the result is column
	// `order[j]` of the merged Q.
	Vectors(levels [][]*Merge, order []int32) error
}

// WholeBackend is a back end that also decides the deflation of each merge, as Deflate does. The
// solver then waits for the back end only once, and not once for each level.
type WholeBackend interface {
	// Values starts a new problem, solves the leaves, and merges all blocks of `tree`. d and e are
	// those of Backend.Leaves, and `order` holds the numbers 0, 1, … for the columns of each leaf.
	// Values writes the eigenvalues to d, in the order of Q's columns. To each block's part of
	// `order` it writes the permutation that makes the values of the block ascend. In each merge
	// that it returns, it sets the fields Pair, K, Upper and Lower, and the field To, which is K.
	Values(tree Tree, d, e []float64, order []int32) (levels [][]*Merge, err error)

	// Vectors does what Backend.Vectors does, for the merges that Values returned.
	Vectors(levels [][]*Merge, order []int32) error
}

// Rows holds the first and the last row of each diagonal block of Q, the matrix of the vectors of
// the solved blocks. There is one element for each column of Q.
type Rows struct{ First, Last []float64 }

func NewRows(n int) Rows { return Rows{make([]float64, n), make([]float64, n)} }

// Of returns columns [lo, hi) of the rows. The result shares memory with r.
func (r Rows) Of(lo, hi int) Rows { return Rows{r.First[lo:hi], r.Last[lo:hi]} }

func solveRoots(merges []*Merge) {
	problems := make([]*Secular, len(merges))
	for i, m := range merges {
		problems[i] = &m.Secular
	}
	solveSecular(problems...)
	for _, m := range merges {
		tridiag.Parallel(m.K, func(j int) { m.Q.First[j], m.Q.Last[j] = m.products(j, m.W.First, m.W.Last) })
	}
}
