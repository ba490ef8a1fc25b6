package bidiagonal

import "github.com/vkevd/vkevd/stages/tridiag"

// Options holds the options of the solver of package bidiagonal.
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
	// Split C into blocks at negligible elements of e. Divide each block into a tree of small
	// blocks, the leaves, by taking out rows.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// Find the singular value decomposition S·diag(σ)·Wᵀ of each leaf by QR iteration.
	if err := backend.Leaves(s.tree, s.sigma, s.e, s.rows); err != nil {
		return nil, err
	}
	s.orderLeaves()

	levels := make([][]*Merge, len(s.tree.Levels))
	for level, pairs := range s.tree.Levels {
		// Deflate: find the singular triplets of two neighbouring blocks that are also triplets of
		// the merged block.
		merges := make([]*Merge, len(pairs))
		tridiag.Parallel(len(pairs), func(i int) { merges[i] = s.merge(pairs[i]) })

		// Find the roots σ² of the secular equations, the corrected weights ẑ, and the first and
		// last rows of the new right vectors.
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

	// Form the right vectors W ← (W·G)·Y and the left vectors S ← (S·G')·X of all merges, level by
	// level. G and G' are the rotations and permutations of deflation. Y and X have the singular
	// vectors of the merged matrix.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
