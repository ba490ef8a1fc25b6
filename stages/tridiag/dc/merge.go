package dc

// Merge is what a back end has to do to make one block of two. With Q the pair,
// n×n, W a matrix of the same size, and all rows and columns counted from Lo:
//
// Gather. W is Q times rotations and a permutation. Chain c is the steps t in
// [Chain[c], Chain[c+1]); it runs through columns Src[t] of Q with one column x:
//
//	the first t:         x = Q[:, Src[t]]
//	each but the last:   y = Q[:, Src[t+1]]
//	                     W[:, Dst[t]] = Cos[t]·x + Sin[t]·y
//	                     x = Cos[t]·y − Sin[t]·x
//	the last t:          W[:, Dst[t]] = x
//
// Src and Dst are permutations, so chains are independent; most have one step.
//
// Multiply. Column j of S, K×K, is Vector(j, Row) of the secular equation, which
// Roots has solved. Half by half, and for
// the columns J = [From, To) of S alone (which are all, but in the last merges),
//
//	Q[:N1, J] = W[:N1, :Upper] · S[:Upper, J]
//	Q[N1:, J] = W[N1:, Lower:K] · S[Lower:, J]
//
// The rest of W[:, :K] is zero and need not be formed: columns before Lower come
// from the upper block alone, those from Upper on from the lower alone.
//
// Copy the deflated columns, Q[:, K:] = W[:, K:].
type Merge struct {
	Pair
	Secular

	K            int // poles: columns of Q that are not deflated
	Upper, Lower int // 0 ≤ Lower ≤ Upper ≤ K
	From, To     int // 0 ≤ From ≤ To ≤ K

	Chain    []int32
	Src, Dst []int32
	Cos, Sin []float64

	Row []int32 // pole i is column Row[i] of W, row Row[i] of S

	// The first and the last row: of W, where pole i stands at i and not at Row[i]; and
	// of Q after the merge, of which Roots finds the first K columns.
	W, Q Rows

	deflated []float64 // the eigenvalues of columns K, K+1 … of W
	rotated  int       // how many of these come from rotations; both kinds ascend, or nearly so
}

// values gives the eigenvalues of the merged block in the order of its columns.
func (m *Merge) values(d []float64) {
	for j := range m.K {
		d[j] = m.Value(j)
	}
	copy(d[m.K:], m.deflated)
}

// restrict leaves out vectors that are not wanted: S's columns ascend, so they are a
// range of them. (Deflated columns cost nothing.)
func (m *Merge) restrict(wanted []int32) {
	m.From, m.To = m.K, m.K
	for _, c := range wanted {
		if j := int(c) - m.Lo; 0 <= j && j < m.K {
			m.From, m.To = min(m.From, j), j+1
		}
	}
}
