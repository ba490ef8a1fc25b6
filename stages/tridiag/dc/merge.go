package dc

// Merge is what a back end computes to make one block of Q from two. Q is the pair of blocks, n×n;
// W is a matrix of the same size; all rows and columns count from Lo. There are three steps.
//
// Gather. W is Q times rotations and a permutation, W = Q·G. Chain c is the steps t in
// [Chain[c], Chain[c+1]). It takes one column x through columns of Q:
//
//	first t:       x = Q[:, Src[t]]
//	all but last:  y = Q[:, Src[t+1]]
//	               W[:, Dst[t]] = Cos[t]·x + Sin[t]·y
//	               x = Cos[t]·y − Sin[t]·x
//	last t:        W[:, Dst[t]] = x
//
// Src and Dst are permutations. So no two chains read or write the same column, and all chains may
// run at the same time. Most chains have one step: they copy a column.
//
// Multiply. Column j of S, K×K, is Vector(j, Row) of the secular equation that Roots has solved.
// Half by half, and for the columns J = [From, To) of S,
//
//	Q[:N1, J] = W[:N1, :Upper] · S[:Upper, J]
//	Q[N1:, J] = W[N1:, Lower:K] · S[Lower:, J]
//
// The rest of W[:, :K] is zero and need not be formed: columns before Lower come from the upper
// block alone, those from Upper on from the lower block alone. J is all columns but in the last
// level.
//
// Copy. Q[:, K:] = W[:, K:], the deflated columns.
type Merge struct {
	Pair
	Secular // its D, Z and Rho; Roots sets the rest

	K            int // poles: columns of Q that are not deflated
	Upper, Lower int // 0 ≤ Lower ≤ Upper ≤ K
	From, To     int // 0 ≤ From ≤ To ≤ K

	Gather

	Row []int32 // pole i is column Row[i] of W and row Row[i] of S

	// The first and the last row of W, by pole, and those of Q after the merge, by column. Roots
	// sets the first K elements of Q.
	W, Q Rows

	// The eigenvalues of columns K, K+1 … of W. The first ones, rotated of them, come from
	// rotations. Both parts ascend, or nearly so.
	deflated []float64
	rotated  int
}

// Gather is the rotations and the permutation of a merge, W = Q·G, as Merge describes them.
type Gather struct {
	Chain    []int32 // first step of each chain, then n
	Src, Dst []int32 // by step: the column of Q that is read, the column of W that is written
	Cos, Sin []float64
}

// With returns a merge with other rotations and another permutation, and the same poles, columns and
// factor: the merge of the other side of a singular value decomposition. The roots of the secular
// equation must be found for m itself.
func (m *Merge) With(g Gather) *Merge {
	other := *m
	other.Gather, other.Q = g, Rows{}
	return &other
}

// values writes the eigenvalues of the merged block to d, in the order of its columns.
func (m *Merge) values(d []float64) {
	for j := range m.K {
		d[j] = m.Value(j)
	}
	m.DeflatedValues(d)
}

// DeflatedValues writes those of columns K, K+1 … to d[K:].
func (m *Merge) DeflatedValues(d []float64) { copy(d[m.K:], m.deflated) }

// Order returns the permutation that makes d ascend, which has the values of the merged block: first
// those of the secular equation, which ascend, then those of the deflated columns.
func (m *Merge) Order(d []float64) []int32 {
	roots := make([]int32, m.K)
	for j := range roots {
		roots[j] = int32(j)
	}
	deflated := MergedOrder(m.deflated, Ascending(m.deflated[:m.rotated]), Ascending(m.deflated[m.rotated:]))
	return MergedOrder(d, roots, deflated)
}

// Restrict sets From and To to the columns that are wanted, counted in Q. wanted has a range of all
// values, in ascending or descending order. The values of S's columns ascend, so that these are a
// range, too. Deflated columns cost nothing and are not left out.
func (m *Merge) Restrict(wanted []int32) {
	m.From, m.To = m.K, 0
	for _, c := range wanted {
		if j := int(c) - m.Lo; 0 <= j && j < m.K {
			m.From, m.To = min(m.From, j), max(m.To, j+1)
		}
	}
	m.To = max(m.To, m.From)
}
