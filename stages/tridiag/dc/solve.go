package dc

type Options struct {
	// LeafSize is the largest order of a leaf; 0 means 32.
	LeafSize int

	// From and To select the wanted eigenvectors: those of the eigenvalues From … To−1. If From and
	// To are 0, all vectors are wanted. The matrix products of the last level are three quarters of
	// the work, and their cost is proportional to To − From.
	From, To int

	ValuesOnly bool
}

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

// Values returns the eigenvalues alone, with O(n) memory. Arguments and errors are those of Solve.
func Values(d, e []float64, opt Options) ([]float64, error) {
	opt.ValuesOnly = true
	return SolveWith(NewHost(len(d)), d, e, opt)
}

// SolveWith returns the eigenvalues in ascending order. The eigenvectors stay in the back end. The
// errors are those of Solve and of the back end.
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, error) {
	return SolveOn(Rounds{backend}, d, e, opt)
}

// SolveOn does the same as SolveWith for a back end that also decides the deflation.
func SolveOn(backend WholeBackend, d, e []float64, opt Options) ([]float64, error) {
	// Divide T: T = diag(leaves) + Σ ρ·v·vᵀ.
	s, err := newSolution(d, e, opt)
	if err != nil {
		return nil, err
	}

	// Solve the leaves. Then find the poles, roots and weights of all merges, level by level.
	levels, err := backend.Values(s.tree, s.d, s.e, s.order)
	if err != nil {
		return nil, err
	}
	values, wanted := s.result(opt)
	if opt.ValuesOnly {
		return values, nil
	}

	// Form the vectors of all merges, Q ← (Q·G)·S, level by level. G consists of the rotations and
	// permutations of deflation, and S has the vectors of the secular equations. In the last level,
	// only the wanted vectors are formed.
	if len(levels) > 0 {
		for _, m := range levels[len(levels)-1] {
			m.Restrict(wanted)
		}
	}
	return values, backend.Vectors(levels, wanted)
}
