package dc

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// newMerge deflates (dlaed2): it finds the columns of Q that are eigenvectors of the merged block
// to working accuracy, and rotates pairs of columns so that there are more of them.
//
// d has the eigenvalues of the two blocks and rows the first and last rows of their vectors, in the
// order of Q's columns; d[order[i]] ascends. rho is the element of T torn out between the blocks.
func newMerge(p Pair, d []float64, rows Rows, order []int32, rho float64) *Merge {
	n := p.N()
	reals, ints := emptyLists[float64](12, n), emptyLists[int32](2, n)
	m := &Merge{Pair: p, Cos: reals()[:n], Sin: reals()[:n], Src: ints(), Dst: ints(), Chain: make([]int32, 0, n+1)}
	m.D, m.Z, m.W, m.deflated = reals(), reals(), Rows{reals(), reals()}, reals()
	b := deflation{
		merge: m, d: slices.Clone(d), z: reals()[:n], rows: Rows{reals()[:n], reals()[:n]}, support: make([]rowSet, n),
		poleSupport: make([]rowSet, 0, n), deflatedRows: Rows{reals(), reals()},
	}
	copy(b.rows.First, rows.First[:p.N1])
	copy(b.rows.Last[p.N1:], rows.Last[p.N1:])
	largest := b.setWeights(rows, rho)
	tol := 8 * tridiag.Roundoff * largest

	// In the order of their eigenvalues, columns deflate by themselves, or by a rotation with the
	// next column, or they are poles. A chain is a run of columns that rotations connect.
	open := int32(-1) // the column whose chain has not ended, or −1
	var negligible []int32
	for _, c := range order {
		switch {
		case m.Rho*math.Abs(b.z[c]) <= tol:
			negligible = append(negligible, c)
			continue
		case open < 0 || !b.rotate(open, c, tol):
			b.endChain(open)
			m.Chain = append(m.Chain, int32(len(m.Src)))
		}
		m.Src = append(m.Src, c)
		open = c
	}
	b.endChain(open)
	// Columns that deflate by themselves come last, so that the rotated ones stay together.
	m.rotated = len(m.deflated)
	for _, c := range negligible {
		m.Chain = append(m.Chain, int32(len(m.Src)))
		m.Src = append(m.Src, c)
		b.deflate(c, b.d[c])
	}
	m.Chain = append(m.Chain, int32(n))
	b.numberColumns()
	return m
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

// rowSet is the rows in which a column can be other than zero.
type rowSet int8

// The order is that of the columns of W.
const (
	upperRows rowSet = iota // those of the upper block
	allRows
	lowerRows
)

// deflation is a merge whose columns are being classified. Three columns a, b, c, with eigenvalues
// that agree to working accuracy, form the chain
//
//	rotate a and b:   a is deflated (its z becomes 0), b goes on with z = hypot of both
//	rotate b and c:   b is deflated, c goes on
//	end:              c is a pole, with the norm of all three z
//
// so that a cluster of equal eigenvalues leaves a single pole. Until numberColumns is called,
// merge.Dst has pole i as i, and the i-th deflated column as −1−i.
type deflation struct {
	merge *Merge

	// By column of Q. Rotations change them.
	d, z    []float64
	rows    Rows
	support []rowSet

	poleSupport  []rowSet // by pole
	deflatedRows Rows     // by deflated column
}

// setWeights sets z and Rho so that ρ·v·vᵀ becomes Rho·z·zᵀ, Rho > 0, and returns the largest
// magnitude of d and z. v is (… 1, ±1 …), so that z is the last row of the upper block and the
// first row of the lower one, which have norm 1 each. The sign of ρ goes to the latter.
func (b *deflation) setWeights(rows Rows, rho float64) (largest float64) {
	m := b.merge
	m.Rho = 2 * math.Abs(rho)
	scale := math.Sqrt(0.5)
	for c := range b.z {
		adjacent := rows.Last[c]
		b.support[c] = upperRows
		if c >= m.N1 {
			adjacent = rows.First[c]
			b.support[c] = lowerRows
			scale = math.Copysign(scale, rho)
		}
		b.z[c] = adjacent * scale
		largest = max(largest, math.Abs(b.d[c]), math.Abs(b.z[c]))
	}
	return largest
}

// rotate turns columns a and c so that z[a] becomes zero, and deflates a. It does so only if d[a]
// and d[c] are so close that the diagonal stays diagonal to working accuracy: the off-diagonal
// element that the rotation makes is at most tol. The chain goes on with c.
func (b *deflation) rotate(a, c int32, tol float64) bool {
	r := math.Hypot(b.z[a], b.z[c])
	cos, sin := b.z[c]/r, -b.z[a]/r
	da, dc := b.d[a], b.d[c]
	if math.Abs((dc-da)*cos*sin) > tol {
		return false
	}
	b.z[c], b.z[a] = r, 0
	b.d[c] = da*sin*sin + dc*cos*cos
	if b.support[a] != b.support[c] {
		b.support[c] = allRows
	}
	t := len(b.merge.Src) - 1
	b.merge.Cos[t], b.merge.Sin[t] = cos, sin
	for _, row := range [][]float64{b.rows.First, b.rows.Last} {
		row[a], row[c] = cos*row[a]+sin*row[c], cos*row[c]-sin*row[a]
	}
	b.deflate(a, da*cos*cos+dc*sin*sin)
	return true
}

// deflate records that column a of Q, after the rotations so far, is an eigenvector, and value its
// eigenvalue. The last entry of Src is that column; deflate appends its destination to Dst.
func (b *deflation) deflate(a int32, value float64) {
	m, rows := b.merge, &b.deflatedRows
	m.Dst = append(m.Dst, int32(-1-len(m.deflated)))
	m.deflated = append(m.deflated, value)
	rows.First, rows.Last = append(rows.First, b.rows.First[a]), append(rows.Last, b.rows.Last[a])
}

// endChain records that a chain of rotations ends with column `open` of Q, which remains a pole of
// the secular equation. It appends the column's destination to Dst. −1 stands for no chain.
func (b *deflation) endChain(open int32) {
	if open < 0 {
		return
	}
	m := b.merge
	m.Dst = append(m.Dst, int32(m.K))
	m.D = append(m.D, b.d[open])
	m.Z = append(m.Z, b.z[open])
	m.W.First, m.W.Last = append(m.W.First, b.rows.First[open]), append(m.W.Last, b.rows.Last[open])
	b.poleSupport = append(b.poleSupport, b.support[open])
	m.K++
}

// numberColumns numbers the columns of W: poles of the upper block, of both, of the lower block,
// then deflated columns. It sets the rows of Q that are known, those of the deflated columns.
func (b *deflation) numberColumns() {
	m := b.merge
	m.Row = make([]int32, m.K)
	m.To = m.K
	m.Q = newRows(m.N())
	copy(m.Q.First[m.K:], b.deflatedRows.First)
	copy(m.Q.Last[m.K:], b.deflatedRows.Last)
	next := int32(0)
	for set := upperRows; set <= lowerRows; set++ {
		for i, support := range b.poleSupport {
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
	for t, pole := range m.Dst {
		if pole >= 0 {
			m.Dst[t] = m.Row[pole]
		} else {
			m.Dst[t] = int32(m.K) - 1 - pole
		}
	}
}
