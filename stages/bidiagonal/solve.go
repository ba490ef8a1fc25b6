package bidiagonal

import "github.com/vkevd/vkevd/stages/tridiag"

type Options struct {
	// LeafSize is the largest order of a leaf, which QR iteration solves. It is at least 1.
	LeafSize int

	// From and To select the wanted singular vectors: those of the singular values From … To−1.
	From, To int
}

// SolveWith returns the singular values of the upper bidiagonal matrix C with diagonal d and
// superdiagonal e, where C = S·diag(values)·Wᵀ. The values descend and are not negative. The wanted
// vectors stay in the back end. d has n elements. e has n−1 or more elements, and only n−1 are
// read. d and e are not written.
//
// The errors of the values and the residuals are a small multiple of n·ulp·‖C‖, and the vectors are
// orthogonal up to a small multiple of n·ulp. The error is a *NonFiniteError or an error of the
// back end. SolveWith panics if e is too short or if the range of vectors is not within [0, n].
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	if err := backend.Leaves(s.tree, s.sigma, s.e, s.rows); err != nil {
		return nil, err
	}
	s.orderLeaves()

	levels := make([][]*Merge, len(s.tree.Levels))
	for level, pairs := range s.tree.Levels {
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = s.merge(pairs[i]) })

		// Find the roots σ², the corrected weights ẑ, and the first and last rows of the new right
		// vectors.
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

	// The last step forms the right vectors W ← (W·G)·Y and the left vectors S ← (S·G')·X, level by
	// level. G and G' are the rotations and permutations of deflation. Y and X have the right and
	// left singular vectors of the merged matrix.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
