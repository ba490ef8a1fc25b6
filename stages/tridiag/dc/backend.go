package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Backend does the work of order n² and n³. It keeps the n×n matrix Q of the eigenvectors, which is
// block diagonal: a block has the same rows and columns. Outside of the blocks Q is zero by
// definition, and a back end need not store these zeros.
//
// One goroutine makes the calls, in this order:
//
//	Leaves; Roots, once per level; Vectors, unless only values are wanted
type Backend interface {
	// Leaves starts a new problem with the merges of tree, and solves the leaves. d and e are the
	// diagonal and the off-diagonal of T, after the elements between leaves were torn out (package
	// comment). Leaves writes the eigenvalues to d, ascending in each leaf. It writes the first and
	// the last row of each leaf's vectors to rows. The vectors of a leaf are a block of Q. e is not
	// written.
	Leaves(tree Tree, d, e []float64, rows Rows) error

	// Roots solves the secular equations of the merges of one level. It sets the members Mu and
	// Origin of each merge. Except in the last level, it also sets the first K elements of Q.First
	// and Q.Last.
	Roots(merges []*Merge) error

	// Vectors merges blocks of Q, level by level, as type Merge describes. levels holds the merges
	// that Roots received. The result has n rows and len(order) columns, with all zeros stored.
	// Column j of the result is column order[j] of Q.
	Vectors(levels [][]*Merge, order []int32) error
}

// Rows holds the first and the last row of each block of Q, with one element per column of Q.
type Rows struct{ First, Last []float64 }

// NewRows returns rows of zeros for n columns.
func NewRows(n int) Rows { return Rows{make([]float64, n), make([]float64, n)} }

// Of returns the part of r that belongs to columns [lo, hi). The result shares memory with r.
func (r Rows) Of(lo, hi int) Rows { return Rows{r.First[lo:hi], r.Last[lo:hi]} }

// solveRoots solves the secular equations of all merges, on all processors. It sets Mu, Origin,
// ZHat and the first K elements of Q.First and Q.Last.
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
