package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Backend does the work of order n² and n³. It stores the n×n matrix Q of the eigenvectors of all
// solved blocks of T. Q is block diagonal, with one diagonal block for each solved block of T.
// Outside the blocks Q is zero by definition, and a back end need not store these zeros.
//
// One goroutine makes the calls, in this order:
//
//	Leaves; Roots, once per level; Vectors, unless only values are wanted
type Backend interface {
	// Leaves starts a new problem with the merges of `tree`, and solves the leaves of `tree` (the
	// smallest blocks of T) by QL iteration. d and e are the diagonal and the off-diagonal of T,
	// after the elements between leaves were torn out (see the package comment). Leaves writes the
	// eigenvalues to d, ascending in each leaf. It writes the first and the last row of each leaf's
	// vectors to `rows`. The vectors of a leaf are a block of Q, which stays in the back end. e is
	// not written.
	Leaves(tree Tree, d, e []float64, rows Rows) error

	// Roots solves the secular equations of the merges of one level. It stores the roots in the
	// fields Mu and Origin of each merge. Except in the last level, it also sets the first K
	// elements of the fields Q.First and Q.Last, the first and last rows of the new vectors.
	Roots(merges []*Merge) error

	// Vectors merges the blocks of Q, level by level, as the type Merge describes. `levels` holds
	// the merges that Roots received. The result has n rows and len(order) columns, with all zeros
	// stored. Column j of the result is column `order[j]` of Q.
	Vectors(levels [][]*Merge, order []int32) error
}

// WholeBackend is a back end that also decides the deflation of each merge, as Deflate does. The
// solver then waits for the back end only once, and not once per level.
type WholeBackend interface {
	// Values starts a new problem, solves the leaves (the smallest blocks), and merges all blocks
	// of `tree`. d and e are those of Backend.Leaves, and `order` holds the numbers 0, 1, … for the
	// columns of each leaf. Values writes the eigenvalues to d, in the order of Q's columns. For
	// each block, it writes the permutation that makes the values of the block ascend to the
	// block's part of `order`. For each merge, it returns Pair, K, Upper, Lower, and To = K.
	Values(tree Tree, d, e []float64, order []int32) (levels [][]*Merge, err error)

	// Vectors merges the blocks of Q, level by level, as Backend.Vectors does. `levels` holds the
	// merges that Values returned. Column j of the result is column `order[j]` of Q.
	Vectors(levels [][]*Merge, order []int32) error
}

// Rows holds the first and the last row of each block of Q, with one element per column of Q.
type Rows struct{ First, Last []float64 }

// NewRows returns rows of zeros for n columns.
func NewRows(n int) Rows { return Rows{make([]float64, n), make([]float64, n)} }

// Of returns the elements of the rows r in columns [lo, hi). The result shares memory with r.
func (r Rows) Of(lo, hi int) Rows { return Rows{r.First[lo:hi], r.Last[lo:hi]} }

// solveRoots solves the secular equations of all merges, on all processors. It sets Mu, Origin,
// ZHat and the first K elements of Merge.Q.First and Merge.Q.Last of each merge.
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
