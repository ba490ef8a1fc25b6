package dc

import (
	"math"
	"slices"
)

// Columns holds the vectors of two solved blocks. They are the columns of a matrix Q. Deflation
// divides them into poles of the secular equation and eigenvectors of the merged block. A chain is
// a sequence of rotations of columns whose eigenvalues agree to working accuracy. Three such
// columns a, b and c form this chain, where z is the weight of a column in the secular equation:
//
//	rotate a and b:   a is deflated (its z becomes 0), and z of b becomes the norm of both z
//	rotate b and c:   b is deflated, and z of c becomes the norm of all three z
//	end:              c is a pole
//
// So a cluster of equal eigenvalues has a single pole. Until the method Number is called, the list
// Merge.Dst of new column numbers contains i for pole i, and −1−i for deflated column i (i = 0, 1,
// …).
type Columns struct {
	Merge *Merge // the merge that is being prepared

	// D (eigenvalues), Z (weights) and Rows have one element for each column of Q. Rotations of
	// columns change them.
	D, Z []float64
	Rows Rows

	// LastChain is the last column of the chain that has not ended, or −1 if there is none.
	LastChain int32

	support      []rowSet // rows of each column of Q
	poleSupport  []rowSet // set of rows of each pole's column
	deflatedRows Rows     // first and last row of each deflated column
}

// rowSet is the set of rows in which a column of eigenvectors can have non-zeros.
type rowSet int8

// Columns of vectors are sorted by these sets, in this order.
const (
	upperRows rowSet = iota // rows of the upper block
	allRows
	lowerRows
)

// NewColumns returns the columns of the matrix Q of the vectors of two solved blocks, with zero
// weights Z and without rotations. d has the values of the two blocks, and `rows` has the first and
// last rows of their vectors. d and `rows` are in the order of Q's columns, and are not written.
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

// emptyLists returns a function that makes empty lists with space for n elements, and may be called
// `lists` times. All lists share one allocation, because many small ones would take longer than the
// work on the lists.
func emptyLists[T any](lists, n int) func() []T {
	store := make([]T, lists*n)
	return func() []T {
		list := store[:0:n]
		store = store[n:]
		return list
	}
}

// Pole adds column c, the next one in ascending order of D. If the last column of the last chain
// may be rotated with column c, c joins this chain. Otherwise Pole ends this chain and begins a new
// one with c. `tol` is the largest magnitude of an element that is taken as zero.
func (b *Columns) Pole(c int32, tol float64) {
	if m := b.Merge; b.LastChain < 0 || !b.rotate(b.LastChain, c, tol) {
		b.EndChain()
		m.Chain = append(m.Chain, int32(len(m.Src)))
	}
	b.Merge.Src = append(b.Merge.Src, c)
	b.LastChain = c
}

// rotate rotates columns a and c so that the weight z[a] becomes zero, records that column a is
// deflated, and returns true. This is allowed if d[a] and d[c] are so close that the diagonal
// matrix stays diagonal to working accuracy: the off-diagonal element that the rotation makes must
// be at most `tol`. Otherwise rotate changes nothing and returns false.
func (b *Columns) rotate(a, c int32, tol float64) bool {
	za, zc := b.Z[a], b.Z[c]
	if math.Abs((b.D[c]-b.D[a])*za*zc) > 2*tol*(za*za+zc*zc) {
		return false // the exact test below would fail, too; this one needs no root and no quotient
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

// Turn rotates the columns a and c by the given cosine and sine:
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

// Deflate records that a column of Q is an eigenvector of the merged block already: column a after
// the rotations so far, with the eigenvalue D[a]. It returns the number that Merge.Dst gives to
// column a. The columns of Q are the vectors of the two smaller blocks.
func (b *Columns) Deflate(a int32) (dst int32) {
	m, rows := b.Merge, &b.deflatedRows
	m.deflated = append(m.deflated, b.D[a])
	rows.First, rows.Last = append(rows.First, b.Rows.First[a]), append(rows.Last, b.Rows.Last[a])
	return -int32(len(m.deflated))
}

// EndChain ends the last chain, if there is one. Its last column becomes a pole.
func (b *Columns) EndChain() {
	if b.LastChain < 0 {
		return
	}
	b.Merge.Dst = append(b.Merge.Dst, int32(b.Merge.K))
	b.AddPole(b.LastChain)
	b.LastChain = -1
}

// AddPole records that the next pole belongs to column c of Q after the rotations so far. The
// columns of Q are the vectors of the two smaller blocks.
func (b *Columns) AddPole(c int32) {
	b.SetPole(b.Merge.K, c)
	b.Merge.K++
}

// SetPole records that pole i belongs to column c of Q after the rotations so far. The columns of Q
// are the vectors of the two smaller blocks.
func (b *Columns) SetPole(i int, c int32) {
	m := b.Merge
	m.D[i], m.Z[i] = b.D[c], b.Z[c]
	m.W.First[i], m.W.Last[i] = b.Rows.First[c], b.Rows.Last[c]
	b.poleSupport[i] = b.support[c]
}

// Single records columns of Q, the vectors of the two smaller blocks, that are eigenvectors of the
// merged block without a rotation. It ends the last chain, and Pole must not be called afterwards.
// These columns come last among the deflated ones, so that those that were rotated have consecutive
// numbers.
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

// Number gives numbers to the columns of W, which are the columns of Q after deflation, in this
// order: poles with rows in the upper block only, poles with rows in both blocks, poles with rows
// in the lower block only, deflated columns. Each element of `gathers` must contain all columns of
// Q, and gets the same numbers in its field Dst. Number also sets the first and last rows of the
// deflated columns of Q.
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
