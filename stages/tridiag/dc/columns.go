package dc

import (
	"math"
	"slices"
)

// Columns are the columns of two solved blocks while deflation divides them into poles of the
// secular equation and eigenvectors of the merged block. Three columns a, b, c, with eigenvalues
// that agree to working accuracy, form the chain
//
//	rotate a and b:   a is deflated (its z becomes 0), b goes on with z = hypot of both
//	rotate b and c:   b is deflated, c goes on
//	end:              c is a pole, with the norm of all three z
//
// so that a cluster of equal eigenvalues leaves a single pole. Until Number is called, Merge.Dst has
// pole i as i, and the i-th deflated column as −1−i.
type Columns struct {
	Merge *Merge // which is being made

	// By column of Q. Rotations change them.
	D, Z []float64
	Rows Rows

	// LastChain is the column whose chain has not ended, or −1.
	LastChain int32

	support      []rowSet // by column of Q
	poleSupport  []rowSet // by pole
	deflatedRows Rows     // by deflated column
}

// rowSet is the rows in which a column can be other than zero.
type rowSet int8

// The order is that of the columns of W.
const (
	upperRows rowSet = iota // those of the upper block
	allRows
	lowerRows
)

// NewColumns returns the columns of two solved blocks, with no chain yet and Z of zeros. d has the
// values of the two blocks and rows the first and last rows of their vectors, in the order of Q's
// columns. Neither is written.
func NewColumns(p Pair, d []float64, rows Rows) *Columns {
	n := p.N()
	reals, ints := emptyLists[float64](12, n), emptyLists[int32](2, n)
	m := &Merge{Pair: p}
	m.Cos, m.Sin, m.Src, m.Dst, m.Chain = reals()[:n], reals()[:n], ints(), ints(), make([]int32, 0, n+1)
	m.D, m.Z, m.W.First, m.W.Last, m.deflated = reals()[:n], reals()[:n], reals()[:n], reals()[:n], reals()
	b := &Columns{
		Merge: m, D: slices.Clone(d), Z: reals()[:n], Rows: Rows{reals()[:n], reals()[:n]}, LastChain: -1,
		support: make([]rowSet, n), poleSupport: make([]rowSet, n), deflatedRows: Rows{reals(), reals()},
	}
	copy(b.Rows.First, rows.First[:p.N1])
	copy(b.Rows.Last[p.N1:], rows.Last[p.N1:])
	for c := p.N1; c < n; c++ {
		b.support[c] = lowerRows
	}
	return b
}

// emptyLists returns a function that makes empty lists with room for n elements, as many as lists.
// All share one allocation: many small ones would take longer than what is done with them.
func emptyLists[T any](lists, n int) func() []T {
	store := make([]T, lists*n)
	return func() []T {
		list := store[:0:n]
		store = store[n:]
		return list
	}
}

// Pole is the next column in the order of D: it joins the last chain, if that may be, or else ends
// that chain and begins one. tol is the largest element that may count as zero.
func (b *Columns) Pole(c int32, tol float64) {
	if m := b.Merge; b.LastChain < 0 || !b.rotate(b.LastChain, c, tol) {
		b.EndChain()
		m.Chain = append(m.Chain, int32(len(m.Src)))
	}
	b.Merge.Src = append(b.Merge.Src, c)
	b.LastChain = c
}

// rotate turns columns a and c so that z[a] becomes zero, and deflates a. It does so only if d[a]
// and d[c] are so close that the diagonal stays diagonal to working accuracy: the off-diagonal
// element that the rotation makes is at most tol. The chain goes on with c.
func (b *Columns) rotate(a, c int32, tol float64) bool {
	za, zc := b.Z[a], b.Z[c]
	if math.Abs((b.D[c]-b.D[a])*za*zc) > 2*tol*(za*za+zc*zc) {
		return false // surely; most columns are decided without a root and a quotient
	}
	r := math.Hypot(za, zc)
	cos, sin := zc/r, -za/r
	da, dc := b.D[a], b.D[c]
	if math.Abs((dc-da)*cos*sin) > tol {
		return false
	}
	b.Z[c], b.Z[a] = r, 0
	b.D[c] = da*sin*sin + dc*cos*cos
	b.D[a] = da*cos*cos + dc*sin*sin
	t := len(b.Merge.Src) - 1
	b.Merge.Cos[t], b.Merge.Sin[t] = cos, sin
	b.Turn(a, c, cos, sin)
	b.Merge.Dst = append(b.Merge.Dst, b.Deflate(a))
	return true
}

// Turn rotates the columns a and c as one step of a chain does:
//
//	a ← cos·a + sin·c      c ← cos·c − sin·a
func (b *Columns) Turn(a, c int32, cos, sin float64) {
	if b.support[a] != b.support[c] {
		b.support[c] = allRows
	}
	for _, row := range [][]float64{b.Rows.First, b.Rows.Last} {
		row[a], row[c] = cos*row[a]+sin*row[c], cos*row[c]-sin*row[a]
	}
}

// Deflate records that column a of Q, after the rotations so far, is an eigenvector with the value
// D[a]. It returns the column's Dst.
func (b *Columns) Deflate(a int32) (dst int32) {
	m, rows := b.Merge, &b.deflatedRows
	m.deflated = append(m.deflated, b.D[a])
	rows.First, rows.Last = append(rows.First, b.Rows.First[a]), append(rows.Last, b.Rows.Last[a])
	return -int32(len(m.deflated))
}

// EndChain records that the last chain ends with its column, which remains a pole of the secular
// equation. It does nothing if there is no chain.
func (b *Columns) EndChain() {
	if b.LastChain < 0 {
		return
	}
	b.Merge.Dst = append(b.Merge.Dst, int32(b.Merge.K))
	b.AddPole(b.LastChain)
	b.LastChain = -1
}

// AddPole records that column c of Q, after the rotations so far, is the next pole.
func (b *Columns) AddPole(c int32) {
	b.SetPole(b.Merge.K, c)
	b.Merge.K++
}

// SetPole records that column c of Q, after the rotations so far, is pole i, which was another
// column before.
func (b *Columns) SetPole(i int, c int32) {
	m := b.Merge
	m.D[i], m.Z[i] = b.D[c], b.Z[c]
	m.W.First[i], m.W.Last[i] = b.Rows.First[c], b.Rows.Last[c]
	b.poleSupport[i] = b.support[c]
}

// Single records columns of Q that are eigenvectors as they are. It ends the last chain. No Pole
// may follow. Columns of Single come last among the deflated ones, so that the rotated ones stay
// together.
func (b *Columns) Single(columns []int32) {
	b.EndChain()
	m := b.Merge
	m.rotated = len(m.deflated)
	for _, c := range columns {
		m.Chain = append(m.Chain, int32(len(m.Src)))
		m.Src = append(m.Src, c)
		m.Dst = append(m.Dst, b.Deflate(c))
	}
}

// Number numbers the columns of W: poles of the upper block, of both, of the lower block, then
// deflated columns. gathers are the merge's own Gather, and others whose Dst has the same meaning;
// all columns of Q must be in their chains. Number also sets the rows of Q that are known, those of
// the deflated columns.
func (b *Columns) Number(gathers ...*Gather) {
	m := b.Merge
	m.D, m.Z, m.W = m.D[:m.K], m.Z[:m.K], m.W.Of(0, m.K)
	m.Row = make([]int32, m.K)
	m.To = m.K
	m.Q = NewRows(m.N())
	copy(m.Q.First[m.K:], b.deflatedRows.First)
	copy(m.Q.Last[m.K:], b.deflatedRows.Last)
	next := int32(0)
	for set := upperRows; set <= lowerRows; set++ {
		for i, support := range b.poleSupport[:m.K] {
			if support == set {
				m.Row[i] = next
				next++
			}
		}
		switch set {
		case upperRows:
			m.Lower = int(next)
		case allRows:
			m.Upper = int(next)
		}
	}
	for _, g := range gathers {
		g.Chain = append(g.Chain, int32(m.N()))
		for t, pole := range g.Dst {
			if pole >= 0 {
				g.Dst[t] = m.Row[pole]
			} else {
				g.Dst[t] = int32(m.K) - 1 - pole
			}
		}
	}
}
