package ref

// DCBackend keeps the n×n matrix Q of the eigenvectors found so far and does with
// it what the driver says. Q is block diagonal: the driver names blocks by their
// first row, which is also their first column; outside of the blocks Q is zero, by
// definition: a back end need not store or clear it before Sort.
//
// Calls come in this order, from one goroutine:
//
//	Leaves   (Borders Roots Merge)*   Sort
//
// A call may return before its work is done, and its error come from a later one;
// its arguments stay as they are. Only z and the roots must be there when Borders
// and Roots return: a GPU is waited for twice a level.
type DCBackend interface {
	// Leaves starts a new problem: Q = diag(all leaf vectors). The leaves cover
	// all rows, in order.
	Leaves(leaves []DCLeaf) error

	// Borders reads one row of each block of pairs that are to be merged: of the
	// upper block its last row, of the lower its first,
	//
	//	z[c] = Q[Lo+N1−1, c]   c in [Lo, Lo+N1)
	//	z[c] = Q[Lo+N1, c]     c in [Lo+N1, Lo+N1+N2)
	//
	// z has n elements; those outside of the pairs are left alone.
	Borders(pairs []DCPair, z []float64) error

	// Roots solves the secular equation of each merge: it fills Origin and Mu.
	// DCRoots does it in plain Go.
	Roots(merges []*DCMerge) error

	// Merge replaces each pair of blocks of Q by one block, as DCMerge says. The
	// merges, those of Roots, touch disjoint blocks.
	Merge(merges []*DCMerge) error

	// Sort makes the result, n×len(order): its column j is column order[j] of Q,
	// with all zeros in place.
	Sort(order []int32) error
}

// DCRoots is DCBackend's Roots. It fills ZHat as well.
func DCRoots(merges []*DCMerge) {
	problems := make([]*Secular, len(merges))
	for i, m := range merges {
		problems[i] = &m.Secular
	}
	SolveSecular(problems...)
}

// DCLeaf is a solved leaf: rows and columns [Lo, Lo+N) of Q become Vectors,
// column-major.
type DCLeaf struct {
	Lo, N   int
	Vectors []float64
}

// DCPair is two adjacent blocks of Q, of orders N1 and N2, the first of which
// starts at row and column Lo.
type DCPair struct{ Lo, N1, N2 int }

// N returns the order of the two together.
func (p DCPair) N() int { return p.N1 + p.N2 }

// Hi returns the end of the range of rows [Lo, Hi).
func (p DCPair) Hi() int { return p.Lo + p.N() }
