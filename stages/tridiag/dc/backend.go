package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Backend does what the driver says. It keeps the n×n matrix Q of the eigenvectors,
// which is block diagonal: the driver names blocks by their first row, which is
// also their first column; outside of the blocks Q is zero, by definition: a
// back end need not store or clear it before the end.
//
// Calls come in this order, from one goroutine:
//
//	Leaves   Roots, once a level   Vectors, if they are wanted
type Backend interface {
	// Leaves starts a new problem, whose merges it announces, and solves the leaves: T there
	// has the diagonal d and the off-diagonal e. It leaves the eigenvalues in d, ascending
	// leaf by leaf; of the vectors, which are blocks of Q, the first and last rows in rows.
	Leaves(tree Tree, d, e []float64, rows Rows) error

	// Roots solves the secular equation of each merge and fills Mu, Origin and, but for the
	// last level, the elements before K of Q.
	Roots(merges []*Merge) error

	// Vectors merges, level by level, pairs of blocks of Q to one block, as Merge
	// says; the merges are those of Roots, and those of one level touch disjoint blocks.
	// The result, n×len(order), has as its column j column order[j] of Q, with all
	// zeros in place.
	Vectors(levels [][]*Merge, order []int32) error
}

// solveRoots is Backend's Roots. It fills ZHat as well.
func solveRoots(merges []*Merge) {
	problems := make([]*Secular, len(merges))
	for i, m := range merges {
		problems[i] = &m.Secular
	}
	SolveSecular(problems...)
	for _, m := range merges {
		tridiag.Parallel(m.K, func(j int) { m.Q.First[j], m.Q.Last[j] = m.products(j, m.W.First, m.W.Last) })
	}
}

// Tree is how T is torn. The leaves cover all rows, in order; Levels[0] merges pairs of
// them, and so on; the merges of a level touch disjoint blocks. A block that no merge takes
// is whole: T is zero between it and its neighbours.
type Tree struct {
	Leaves []Pair
	Levels [][]Pair
}

// Rows is the first and the last row of each block of Q, by column.
type Rows struct{ First, Last []float64 }

func newRows(n int) Rows { return Rows{make([]float64, n), make([]float64, n)} }

// of is the rows of the columns [lo, hi).
func (r Rows) of(lo, hi int) Rows { return Rows{r.First[lo:hi], r.Last[lo:hi]} }

// Pair is two adjacent blocks of Q, of orders N1 and N2, the first of which
// starts at row and column Lo. A leaf is a pair whose N2 is zero.
type Pair struct{ Lo, N1, N2 int }

// N returns the order of the two together.
func (p Pair) N() int { return p.N1 + p.N2 }

// Hi returns the end of the range of rows [Lo, Hi).
func (p Pair) Hi() int { return p.Lo + p.N() }
