package ref

import "math"

// DCMerge is what a back end has to do to make one block of two. With Q the pair,
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
// Roots has solved; the weights ZHat may be left to this step. Half by half, and for
// the columns J = [From, To) of S alone (which are all, but in the last merges),
//
//	Q[:N1, J] = W[:N1, :Upper] · S[:Upper, J]
//	Q[N1:, J] = W[N1:, Lower:K] · S[Lower:, J]
//
// The rest of W[:, :K] is zero and need not be formed: columns before Lower come
// from the upper block alone, those from Upper on from the lower alone.
//
// Copy the deflated columns, Q[:, K:] = W[:, K:].
type DCMerge struct {
	DCPair
	Secular

	K            int // poles: columns of Q that are not deflated
	Upper, Lower int // 0 ≤ Lower ≤ Upper ≤ K
	From, To     int // 0 ≤ From ≤ To ≤ K

	Chain    []int32
	Src, Dst []int32
	Cos, Sin []float64

	Row []int32 // pole i is column Row[i] of W, row Row[i] of S

	deflated []float64 // the eigenvalues of columns K, K+1 … of W
}

// newDCMerge deflates (LAPACK dlaed2): it finds the columns of Q that are
// eigenvectors already, to working accuracy, and rotates pairs so that there are
// more of them. d has the eigenvalues of the pair of blocks and z the rows beside the
// cut, in the order of Q's columns; rho is the element torn out.
func newDCMerge(p DCPair, d, z []float64, rho float64) *DCMerge {
	n := p.N()
	m := &DCMerge{DCPair: p, Cos: make([]float64, n), Sin: make([]float64, n)}
	b := dcDeflation{DCMerge: m, d: make([]float64, n), z: make([]float64, n), from: make([]dcHalf, n)}
	copy(b.d, d)

	// The two rows have norm 1 each. |ρ|·v·vᵀ has v = (…1, ±1…): the sign goes to z.
	m.Rho = 2 * math.Abs(rho)
	scale := math.Sqrt(0.5)
	big := 0.0
	for c := range n {
		b.from[c] = dcUpper
		if c >= p.N1 {
			b.from[c] = dcLower
			scale = math.Copysign(scale, rho)
		}
		b.z[c] = z[c] * scale
		big = max(big, math.Abs(d[c]), math.Abs(b.z[c]))
	}
	tol := 8 * secularUlp * big

	open := int32(-1) // the column whose chain is not ended yet
	var alone []int32
	for _, c := range dcSorted(b.d) {
		switch {
		case m.Rho*math.Abs(b.z[c]) <= tol:
			alone = append(alone, c)
			continue
		case open < 0 || !b.rotate(open, c, tol):
			b.closeChain(open)
			m.Chain = append(m.Chain, int32(len(m.Src)))
		}
		m.Src = append(m.Src, c)
		open = c
	}
	b.closeChain(open)
	for _, c := range alone {
		m.Chain = append(m.Chain, int32(len(m.Src)))
		m.Src = append(m.Src, c)
		b.deflate(b.d[c])
	}
	m.Chain = append(m.Chain, int32(n))
	b.group()
	return m
}

// values gives the eigenvalues of the merged block in the order of its columns.
func (m *DCMerge) values(d []float64) {
	for j := range m.K {
		d[j] = m.Value(j)
	}
	copy(d[m.K:], m.deflated)
}

// restrict leaves out vectors that are not wanted: S's columns ascend, so they are a
// range of them. (Deflated columns cost nothing.)
func (m *DCMerge) restrict(wanted []int32) {
	m.From, m.To = m.K, m.K
	for _, c := range wanted {
		if j := int(c) - m.Lo; 0 <= j && j < m.K {
			m.From, m.To = min(m.From, j), j+1
		}
	}
}

// dcHalf says which rows of a column can be other than zero.
type dcHalf int8

const (
	dcUpper dcHalf = iota
	dcBoth
	dcLower
)

// dcDeflation is a merge while its columns are sorted out. Until group numbers the
// columns of W, Dst has pole i as i and the i-th deflated column as −1−i.
type dcDeflation struct {
	*DCMerge
	d, z []float64 // by column of Q; the rotations change them
	from []dcHalf
	half []dcHalf // by pole
}

// rotate turns the columns a and c so that z[a] becomes zero, if d[a] and d[c] are
// so close that they may be taken for eigenvalues still: the element that this
// leaves beside the diagonal is below tol. The chain goes on with c.
func (b *dcDeflation) rotate(a, c int32, tol float64) bool {
	r := math.Hypot(b.z[a], b.z[c])
	cos, sin := b.z[c]/r, -b.z[a]/r
	da, dc := b.d[a], b.d[c]
	if math.Abs((dc-da)*cos*sin) > tol {
		return false
	}
	b.z[c], b.z[a] = r, 0
	b.d[c] = da*sin*sin + dc*cos*cos
	if b.from[a] != b.from[c] {
		b.from[c] = dcBoth
	}
	t := len(b.Src) - 1
	b.Cos[t], b.Sin[t] = cos, sin
	b.deflate(da*cos*cos + dc*sin*sin)
	return true
}

// deflate sends the last step to a column of its own, with eigenvalue value.
func (b *dcDeflation) deflate(value float64) {
	b.Dst = append(b.Dst, int32(-1-len(b.deflated)))
	b.deflated = append(b.deflated, value)
}

// closeChain makes the open column, if there is one, a pole.
func (b *dcDeflation) closeChain(open int32) {
	if open < 0 {
		return
	}
	b.Dst = append(b.Dst, int32(b.K))
	b.D = append(b.D, b.d[open])
	b.Z = append(b.Z, b.z[open])
	b.half = append(b.half, b.from[open])
	b.K++
}

// group numbers the columns of W: upper, both, lower halves, deflated ones.
func (b *dcDeflation) group() {
	b.Row = make([]int32, b.K)
	b.To = b.K
	next := int32(0)
	for h := dcUpper; h <= dcLower; h++ {
		for i, half := range b.half {
			if half == h {
				b.Row[i] = next
				next++
			}
		}
		switch h {
		case dcUpper:
			b.Lower = int(next)
		case dcBoth:
			b.Upper = int(next)
		}
	}
	for t, pole := range b.Dst {
		if pole >= 0 {
			b.Dst[t] = b.Row[pole]
		} else {
			b.Dst[t] = int32(b.K) - 1 - pole
		}
	}
}
