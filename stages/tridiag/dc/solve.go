package dc

import "github.com/vkevd/vkevd/stages/tridiag"

// Options tunes the divide-and-conquer solver. The zero value gives the defaults.
type Options struct {
	// LeafSize is the largest order of a block that QL iteration solves; 0 stands for 32.
	LeafSize int

	// From and To ask for the vectors of values[From:To] only. Zero for both asks for all vectors.
	// The last products are three quarters of the work, and their cost is proportional to To −
	// From.
	From, To int

	// ValuesOnly asks for eigenvalues without eigenvectors.
	ValuesOnly bool
}

// defaultLeafSize is the LeafSize that 0 stands for.
const defaultLeafSize = 32

// Solve returns the eigenvalues of T(d, e) in ascending order and the matrix Z of its eigenvectors,
// T = Z·diag(values)·Zᵀ. Z is column-major with n rows, and has only the columns that opt asks for.
// d has n elements. e has n−1 or more elements, and only n−1 are read. d and e are not written. The
// error is a *tridiag.NonFiniteError or a *tridiag.NoConvergenceError.
func Solve(d, e []float64, opt Options) (values, z []float64, err error) {
	host := NewHost(len(d))
	values, err = SolveWith(host, d, e, opt)
	return values, host.vectors(), err
}

// Values returns the eigenvalues without eigenvectors, with O(n) memory. Its arguments and errors
// are those of Solve.
func Values(d, e []float64, opt Options) ([]float64, error) {
	opt.ValuesOnly = true
	return SolveWith(NewHost(len(d)), d, e, opt)
}

// SolveWith returns the eigenvalues of T(d, e), ascending. The eigenvectors stay in the back end.
// The errors are those of Solve and those of the back end.
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	// Split T into blocks, scale the blocks, and tear them into leaves: T = diag(leaves) + Σ
	// ρ·v·vᵀ.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// QL iteration decomposes each leaf, a small diagonal block of T, into Q·diag(d)·Qᵀ.
	if err := backend.Leaves(s.tree, s.d, s.e, s.rows); err != nil {
		return nil, err
	}
	s.orderLeaves()

	levels := make([][]*Merge, len(s.tree.Levels))
	for level, pairs := range s.tree.Levels {
		// Deflate: find the columns of Q that are already eigenvectors of the merged block.
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = s.merge(pairs[i]) })

		// Find the roots λ of D + ρ·z·zᵀ, the weights ẑ, and two rows of the new vectors.
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

	// Form the vectors of all merges, Q ← (Q·G)·S, level by level. The last level forms only the
	// wanted vectors.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.Restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
