package dc

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// newMerge deflates (LAPACK dlaed2): it finds the columns of Q that are
// eigenvectors already, to working accuracy, and rotates pairs so that there are
// more of them. d has the eigenvalues of the pair of blocks and rows the ends of
// their vectors, in the order of Q's columns; d[order[i]] ascends; rho is the element torn out.
func newMerge(p Pair, d []float64, rows Rows, order []int32, rho float64) *Merge {
	n := p.N()
	reals, ints := emptyLists[float64](12, n), emptyLists[int32](2, n)
	m := &Merge{Pair: p, Cos: reals()[:n], Sin: reals()[:n], Src: ints(), Dst: ints(), Chain: make([]int32, 0, n+1)}
	m.D, m.Z, m.W, m.deflated = reals(), reals(), Rows{reals(), reals()}, reals()
	b := deflation{
		Merge: m, d: slices.Clone(d), z: reals()[:n], from: make([]rowSet, n), half: make([]rowSet, 0, n),
		rows: Rows{reals()[:n], reals()[:n]}, gone: Rows{reals(), reals()},
	}
	copy(b.rows.First, rows.First[:p.N1])
	copy(b.rows.Last[p.N1:], rows.Last[p.N1:])

	// The two rows have norm 1 each. |ρ|·v·vᵀ has v = (…1, ±1…): the sign goes to z.
	m.Rho = 2 * math.Abs(rho)
	scale := math.Sqrt(0.5)
	big := 0.0
	for c := range n {
		beside := rows.Last[c]
		b.from[c] = upperRows
		if c >= p.N1 {
			beside = rows.First[c]
			b.from[c] = lowerRows
			scale = math.Copysign(scale, rho)
		}
		b.z[c] = beside * scale
		big = max(big, math.Abs(d[c]), math.Abs(b.z[c]))
	}
	tol := 8 * tridiag.Roundoff * big

	open := int32(-1) // the column whose chain is not ended yet
	var alone []int32
	for _, c := range order {
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
	m.rotated = len(m.deflated)
	for _, c := range alone {
		m.Chain = append(m.Chain, int32(len(m.Src)))
		m.Src = append(m.Src, c)
		b.deflate(c, b.d[c])
	}
	m.Chain = append(m.Chain, int32(n))
	b.group()
	return m
}

// emptyLists makes empty lists with room for n, of one piece: allocating and growing each by itself
// takes longer than what is done with them.
func emptyLists[T any](lists, n int) func() []T {
	store := make([]T, lists*n)
	return func() []T {
		list := store[:0:n]
		store = store[n:]
		return list
	}
}

// rowSet says which rows of a column can be other than zero.
type rowSet int8

const (
	upperRows rowSet = iota
	allRows
	lowerRows
)

// deflation is a merge while its columns are sorted out. Until group numbers the
// columns of W, Dst has pole i as i and the i-th deflated column as −1−i.
type deflation struct {
	*Merge
	d, z []float64 // by column of Q; the rotations change them
	rows Rows
	from []rowSet

	half []rowSet // by pole
	gone Rows     // rows of deflated columns
}

// rotate turns the columns a and c so that z[a] becomes zero, if d[a] and d[c] are
// so close that they may be taken for eigenvalues still: the element that this
// leaves beside the diagonal is below tol. The chain goes on with c.
func (b *deflation) rotate(a, c int32, tol float64) bool {
	r := math.Hypot(b.z[a], b.z[c])
	cos, sin := b.z[c]/r, -b.z[a]/r
	da, dc := b.d[a], b.d[c]
	if math.Abs((dc-da)*cos*sin) > tol {
		return false
	}
	b.z[c], b.z[a] = r, 0
	b.d[c] = da*sin*sin + dc*cos*cos
	if b.from[a] != b.from[c] {
		b.from[c] = allRows
	}
	t := len(b.Src) - 1
	b.Cos[t], b.Sin[t] = cos, sin
	for _, row := range [][]float64{b.rows.First, b.rows.Last} {
		row[a], row[c] = cos*row[a]+sin*row[c], cos*row[c]-sin*row[a]
	}
	b.deflate(a, da*cos*cos+dc*sin*sin)
	return true
}

// deflate sends the last step, which made column a, to a column of its own, with eigenvalue value.
func (b *deflation) deflate(a int32, value float64) {
	b.Dst = append(b.Dst, int32(-1-len(b.deflated)))
	b.deflated = append(b.deflated, value)
	b.gone.First, b.gone.Last = append(b.gone.First, b.rows.First[a]), append(b.gone.Last, b.rows.Last[a])
}

// closeChain makes the open column, if there is one, a pole.
func (b *deflation) closeChain(open int32) {
	if open < 0 {
		return
	}
	b.Dst = append(b.Dst, int32(b.K))
	b.D = append(b.D, b.d[open])
	b.Z = append(b.Z, b.z[open])
	b.W.First, b.W.Last = append(b.W.First, b.rows.First[open]), append(b.W.Last, b.rows.Last[open])
	b.half = append(b.half, b.from[open])
	b.K++
}

// group numbers the columns of W: upper, both, lower halves, deflated ones; and hands on
// what is known of the deflated ones.
func (b *deflation) group() {
	b.Row = make([]int32, b.K)
	b.To = b.K
	b.Q = newRows(b.N())
	copy(b.Q.First[b.K:], b.gone.First)
	copy(b.Q.Last[b.K:], b.gone.Last)
	next := int32(0)
	for h := upperRows; h <= lowerRows; h++ {
		for i, half := range b.half {
			if half == h {
				b.Row[i] = next
				next++
			}
		}
		switch h {
		case upperRows:
			b.Lower = int(next)
		case allRows:
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
