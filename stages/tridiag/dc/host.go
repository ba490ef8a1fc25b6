package dc

import (
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Host is the Backend in plain Go, on all processors. It specifies the results of other back ends,
// and also runs in production.
type Host struct {
	// Stop is called often while the back end works, by several goroutines. After an error each
	// later call must return an error, too, and the solver ends with this error. Stop may be nil.
	Stop func() error

	// Progress is called while Vectors works, by several goroutines, with the part of the work that
	// was done since the last call. The parts add up to 1. If no merge needs a product, Progress is
	// not called. Progress may be nil.
	Progress func(part float64)

	n      int
	leaves []solvedLeaf
	blocks *Blocks // nil before Vectors
}

// solvedLeaf holds the eigenvectors of a leaf: rows and columns [lo, lo+n) of the block-diagonal
// matrix of all vectors.
type solvedLeaf struct {
	lo, n   int
	vectors []float64 // n×n, column-major
}

// NewHost prepares a back end for matrices of order n. Vectors allocates memory for 2·n² elements.
func NewHost(n int) *Host { return &Host{n: n} }

// Result returns the eigenvectors that Vectors has formed, as a column-major matrix with n rows in
// the memory of b. It is empty if Vectors was not called.
func (b *Host) Result() []float64 {
	if b.blocks == nil {
		return nil
	}
	return b.blocks.Result()
}

func (b *Host) Leaves(tree Tree, d, e []float64, rows Rows) error {
	leaves := tree.Leaves
	b.leaves = make([]solvedLeaf, len(leaves))
	failed := make([]bool, len(leaves))
	err := tridiag.ParallelUntil(len(leaves), func(i int) {
		lo, n := leaves[i].Lo, leaves[i].N1
		l := solvedLeaf{lo, n, make([]float64, n*n)}
		failed[i] = !solveLeaf(d[lo:lo+n], slices.Clone(e[lo:lo+n-1]), l.vectors)
		for c := range n {
			rows.First[lo+c], rows.Last[lo+c] = l.vectors[c*n], l.vectors[c*n+n-1]
		}
		b.leaves[i] = l
	}, b.Stop)
	if err != nil {
		return err
	}
	if i := slices.Index(failed, true); i >= 0 {
		return &tridiag.NoConvergenceError{Lo: leaves[i].Lo, Hi: leaves[i].Hi()}
	}
	return nil
}

func (b *Host) Roots(merges []*Merge) error {
	if b.Stop != nil {
		if err := b.Stop(); err != nil {
			return err
		}
	}
	solveRoots(merges)
	return nil
}

func (b *Host) Vectors(levels [][]*Merge, order []int32) error {
	b.blocks = NewBlocks(b.n)
	b.blocks.Stop, b.blocks.Progress = b.Stop, b.Progress
	for _, l := range b.leaves {
		b.blocks.SetLeaf(l.lo, l.n, l.vectors)
	}
	return b.blocks.Merge(levels, order)
}
