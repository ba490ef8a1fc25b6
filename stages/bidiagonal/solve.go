package bidiagonal

import "github.com/vkevd/vkevd/stages/tridiag"

// Options tunes the solver.
type Options struct {
	// LeafSize is the largest order of a block that QR iteration solves; at least 1.
	LeafSize int

	// From and To ask for the vectors of values[From:To].
	From, To int
}

// SolveWith returns the singular values of the upper bidiagonal matrix C(d, e), descending and not
// negative, and leaves the vectors wanted with the back end: C = S·diag(values)·Wᵀ. d has n elements;
// e has n−1 or more, of which only n−1 are read. Neither is written.
//
// Values and residuals are as good as some n·ulp·‖C‖, and the vectors are orthogonal to some n·ulp.
// Errors: *NonFiniteError, and the back end's. It panics if e is too short or the range is not within
// [0, n].
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	// C falls apart at negligible elements of e, and each block is torn into a tree.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// Leaves: each is S·diag(σ)·Wᵀ, by QR iteration.
	if err := backend.Leaves(s.tree, s.sigma, s.e, s.rows); err != nil {
		return nil, err
	}
	s.orderLeaves()

	levels := make([][]*Merge, len(s.tree.Levels))
	for level, pairs := range s.tree.Levels {
		// Deflation: the triplets that are triplets of the merged block already.
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = s.merge(pairs[i]) })

		// Secular roots σ², weights ẑ, and two rows of the new right vectors.
		if err := backend.Roots(merges); err != nil {
			return nil, err
		}
		tridiag.Parallel(len(merges), func(i int) { s.accept(merges[i]) })
		levels[level] = merges
	}
	values, wanted := s.result(opt)
	if len(wanted) == 0 {
		return values, nil
	}

	// Vectors: W ← (W·G)·Y and S ← (S·G')·X for all merges, level by level.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
