package dc

// Merge describes how a back end forms one block of Q from two smaller blocks. In this comment Q is
// only the n×n part of Q with the two blocks, W is another n×n matrix, and row and column 0 are row
// and column Lo of the whole matrix. There are three steps.
//
// Gather. The back end computes W = Q·G, where G consists of rotations and a permutation. A chain
// is a sequence of rotations that moves one column x along columns of Q. Chain c has the steps t in
// [Chain[c], Chain[c+1]):
//
//	first t:       x = Q[:, Src[t]]
//	all but last:  y = Q[:, Src[t+1]]
//	               W[:, Dst[t]] = Cos[t]·x + Sin[t]·y
//	               x = Cos[t]·y − Sin[t]·x
//	last t:        W[:, Dst[t]] = x
//
// Src and Dst are permutations. So no two chains read or write the same column, and all chains may
// run at the same time. Most chains have one step, which copies a column.
//
// Multiply. Column j of the K×K matrix S is Vector(j, Row) of the secular equation that Roots has
// solved. The columns J = [From, To) of Q are formed in two halves:
//
//	Q[:N1, J] = W[:N1, :Upper] · S[:Upper, J]
//	Q[N1:, J] = W[N1:, Lower:K] · S[Lower:, J]
//
// The other elements of W[:, :K] are zero and need not be formed: columns before Lower come only
// from the upper block, and columns from Upper on come only from the lower block. In the last level
// J may be a part of the columns. In other levels J is [0, K).
//
// Copy. Q[:, K:] = W[:, K:], the deflated columns.
type Merge struct {
	Pair
	Secular // the solver sets D, Z and Rho; Backend.Roots sets Origin and Mu, Host's also ZHat

	K            int // number of poles, which are the columns of Q that are not deflated
	Upper, Lower int // 0 ≤ Lower ≤ Upper ≤ K
	From, To     int // 0 ≤ From ≤ To ≤ K

	Gather

	Row []int32 // pole i is column Row[i] of W and row Row[i] of S

	// W holds the first and the last row of the matrix W, with one element for each pole. Q holds
	// the first and the last row of the merged block, with one element for each column;
	// Backend.Roots sets its first K elements.
	W, Q Rows

	// `deflated` has the eigenvalues of columns K, K+1 … of W. The columns of its first `rotated`
	// elements come from rotations. Both parts ascend, or nearly ascend.
	deflated []float64
	rotated  int
}

// Gather holds the rotations and the permutation G of a merge. It changes the columns of Q, the
// vectors of the two smaller blocks, to W = Q·G, as the type Merge describes.
type Gather struct {
	Chain    []int32 // first step of each chain, then the number of all steps, n
	Src, Dst []int32 // for each step: the column of Q that is read, the column of W that is written
	Cos, Sin []float64
}

// With returns a merge with the rotations and the permutation g, with an empty field Q, and
// otherwise with the fields of m. The bidiagonal solver uses it for the second set of singular
// vectors. The roots of the secular equation must be computed for m itself.
func (m *Merge) With(g Gather) *Merge {
	other := *m
	other.Gather, other.Q = g, Rows{}
	return &other
}

func (m *Merge) values(d []float64) {
	for j := range m.K {
		d[j] = m.Value(j)
	}
	m.DeflatedValues(d)
}

// DeflatedValues writes the eigenvalues of the deflated columns to d[K:].
func (m *Merge) DeflatedValues(d []float64) { copy(d[m.K:], m.deflated) }

// Order returns the permutation that makes d ascend. d has the eigenvalues of the merged block:
// first the roots of the secular equation, which ascend, and then those of the deflated columns.
func (m *Merge) Order(d []float64) []int32 {
	roots := make([]int32, m.K)
	for j := range roots {
		roots[j] = int32(j)
	}
	deflated := MergedOrder(m.deflated, Ascending(m.deflated[:m.rotated]), Ascending(m.deflated[m.rotated:]))
	return MergedOrder(d, roots, deflated)
}

// Restrict sets From and To so that products form only wanted eigenvectors. `wanted` lists columns
// of the merged block whose eigenvalues are consecutive, in ascending or descending order. So the
// wanted ones among the columns that products form are consecutive, too. Deflated columns are
// always copied, because they need no product.
func (m *Merge) Restrict(wanted []int32) {
	m.From, m.To = m.K, 0
	for _, c := range wanted {
		if j := int(c) - m.Lo; 0 <= j && j < m.K {
			m.From, m.To = min(m.From, j), max(m.To, j+1)
		}
	}
	m.To = max(m.To, m.From)
}
