package dc

// Options holds the options of the divide-and-conquer solver. The zero value gives the defaults.
type Options struct {
	// LeafSize is the largest order of a leaf, which QL iteration solves; 0 means 32.
	LeafSize int

	// From and To select the wanted eigenvectors: those of the eigenvalues From … To−1. If From and
	// To are 0, all vectors are wanted. The matrix products of the last level are three quarters of
	// the work, and their cost is proportional to To − From.
	From, To int

	// ValuesOnly is true if no eigenvectors are wanted.
	ValuesOnly bool
}

// defaultLeafSize is the largest order of a leaf (a block that QL iteration solves) if
// Options.LeafSize is 0.
const defaultLeafSize = 32

// Solve returns the eigenvalues of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, in ascending order, and the matrix Z of its eigenvectors, T = Z·diag(values)·Zᵀ.
// Z is column-major with n rows, and has only the columns that opt selects. d has n elements. e has
// n−1 or more elements, and only n−1 are read. d and e are not written. The error is a
// *tridiag.NonFiniteError or a *tridiag.NoConvergenceError.
func Solve(d, e []float64, opt Options) (values, z []float64, err error) {
	host := NewHost(len(d))
	values, err = SolveWith(host, d, e, opt)
	return values, host.Result(), err
}

// Values returns the eigenvalues without eigenvectors, with O(n) memory. Arguments and errors are
// those of Solve.
func Values(d, e []float64, opt Options) ([]float64, error) {
	opt.ValuesOnly = true
	return SolveWith(NewHost(len(d)), d, e, opt)
}

// SolveWith returns the eigenvalues of the tridiagonal matrix with diagonal d and off-diagonal e,
// in ascending order. The eigenvectors stay in the back end. The errors are those of Solve and
// those of the back end.
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	return SolveOn(Rounds{backend}, d, e, opt)
}

// SolveOn does the same as SolveWith with a back end that also decides the deflation in each level
// of merges.
func SolveOn(backend WholeBackend, d, e []float64, opt Options) ([]float64, error) {
	// Split T into blocks, and scale the blocks. Divide each block into leaves (small blocks) by
	// taking out off-diagonal elements: T = diag(leaves) + Σ ρ·v·vᵀ.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// Solve the leaves, the smallest blocks. Then find the poles, roots and weights of the secular
	// equations of all merges, level by level.
	levels, err := backend.Values(s.tree, s.d, s.e, s.order)
	if err != nil {
		return nil, err
	}
	values, wanted := s.result(opt)
	if opt.ValuesOnly {
		return values, nil
	}

	// Form the vectors of all merges, Q ← (Q·G)·S, level by level, where G has the rotations and
	// the permutation of deflation. In the last level, only the wanted vectors are formed.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.Restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
