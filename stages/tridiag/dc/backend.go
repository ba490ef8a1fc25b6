package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Backend does the work of order n² and n³. It keeps the n×n matrix Q of the eigenvectors, which is
// block diagonal: a block has the same rows and columns. Outside of the blocks Q is zero by
// definition; a back end need not store or clear it.
//
// One goroutine makes the calls, in this order:
//
//	Leaves   Roots, once per level   Vectors, unless only values are wanted
type Backend interface {
	// Leaves starts a new problem, with the merges of tree, and solves the leaves. d and e are the
	// diagonal and the off-diagonal of the torn T. On return, d has the eigenvalues, ascending in
	// each leaf, and rows the first and the last row of each leaf's vectors, which are blocks of Q.
	// e is not written.
	Leaves(tree Tree, d, e []float64, rows Rows) error

	// Roots solves the secular equations of the merges of one level: it sets Mu and Origin, and,
	// unless it is the last level, the first K elements of Q.First and Q.Last.
	Roots(merges []*Merge) error

	// Vectors merges blocks of Q, level by level, as Merge says. The merges are those of Roots. The
	// result is n×len(order), with all zeros in place: its column j is column order[j] of Q.
	Vectors(levels [][]*Merge, order []int32) error
}

// Rows is the first and the last row of each block of Q, by column of Q.
type Rows struct{ First, Last []float64 }

// NewRows returns rows of zeros for n columns.
func NewRows(n int) Rows { return Rows{make([]float64, n), make([]float64, n)} }

// Of returns the rows of the columns [lo, hi). They share memory with r.
func (r Rows) Of(lo, hi int) Rows { return Rows{r.First[lo:hi], r.Last[lo:hi]} }

// solveRoots does what Backend.Roots asks for, on all processors, and sets ZHat, too.
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
