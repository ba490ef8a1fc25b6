package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Options tunes the divide-and-conquer solver. The zero value is good.
type Options struct {
	// LeafSize is the largest order of a block that QL iteration solves; 0 stands for 32.
	LeafSize int

	// From and To ask for the vectors of values[From:To] alone; 0, 0 asks for all. The last
	// products, three quarters of the work, shrink with their number.
	From, To int

	// ValuesOnly leaves out the vectors pass.
	ValuesOnly bool
}

// defaultLeafSize is the LeafSize that 0 stands for.
const defaultLeafSize = 32

// Solve returns the eigenvalues of T(d, e), ascending, and the matrix of its eigenvectors,
// column-major with n rows: T = Z·diag(values)·Zᵀ, or the columns asked for. d has n elements; e
// has n−1 or more, of which only n−1 are read. Neither is written. Errors: *tridiag.NonFiniteError,
// *tridiag.NoConvergenceError.
func Solve(d, e []float64, opt Options) (values, z []float64, err error) {
	host := NewHost(len(d))
	values, err = SolveWith(host, d, e, opt)
	return values, host.vectors(), err
}

// Values returns the eigenvalues alone, with O(n) memory; otherwise as Solve.
func Values(d, e []float64, opt Options) ([]float64, error) {
	opt.ValuesOnly = true
	return SolveWith(NewHost(len(d)), d, e, opt)
}

// SolveWith returns the eigenvalues of T(d, e), ascending, and leaves the eigenvectors with the
// back end. Its errors are Solve's and the back end's.
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	// Tear: T = diag(leaves) + Σ ρ·v·vᵀ, after T is split and its blocks are scaled.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// Leaves: each is Q·diag(d)·Qᵀ, by QL iteration.
	if err := backend.Leaves(s.tree, s.d, s.e, s.rows); err != nil {
		return nil, err
	}
	s.orderLeaves()

	levels := make([][]*Merge, len(s.tree.Levels))
	for level, pairs := range s.tree.Levels {
		// Deflation: the columns of Q that are eigenvectors of the merged block already.
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = s.merge(pairs[i]) })

		// Secular roots λ of D + ρ·z·zᵀ, weights ẑ, and two rows of the new vectors.
		if err := backend.Roots(merges); err != nil {
			return nil, err
		}
		tridiag.Parallel(len(merges), func(i int) { s.accept(merges[i]) })
		levels[level] = merges
	}
	values, wanted := s.result(opt)
	if opt.ValuesOnly {
		return values, nil
	}

	// Vectors: Q ← (Q·G)·S for all merges, level by level. The last level forms those wanted.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.Restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
