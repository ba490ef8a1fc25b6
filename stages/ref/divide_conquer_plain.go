package ref

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// dcPlain is the DCBackend in plain Go, and the specification of others. It has
// two forms, with all rows of Q or, thin, only with the two that the next merge
// reads: row 0 is the first row of each column's block, row 1 the last.
type dcPlain struct {
	n    int
	thin bool
	rows int
	q, w []float64 // rows×n, column-major
	zero []float64 // a column of zeros

	columns int // of the result, after Sort
}

// dcPanel is how many columns of S exist at a time.
const dcPanel = 128

func newDCPlain(n int, thin bool) *dcPlain {
	b := &dcPlain{n: n, thin: thin, rows: n}
	if thin {
		b.rows = 2
	}
	b.q, b.w = make([]float64, b.rows*n), make([]float64, b.rows*n)
	b.zero = make([]float64, b.rows)
	return b
}

// column returns rows [lo, hi) of column c of a.
func (b *dcPlain) column(a []float64, c, lo, hi int) []float64 {
	return a[lo+c*b.rows : hi+c*b.rows]
}

// vectors returns the result.
func (b *dcPlain) vectors() []float64 { return b.q[:b.rows*b.columns] }

func (b *dcPlain) Leaves(leaves []DCLeaf) error {
	clear(b.q)
	for _, l := range leaves {
		for c := range l.N {
			v := l.Vectors[c*l.N : (c+1)*l.N]
			if b.thin {
				b.q[2*(l.Lo+c)], b.q[2*(l.Lo+c)+1] = v[0], v[l.N-1]
			} else {
				copy(b.column(b.q, l.Lo+c, l.Lo, l.Lo+l.N), v)
			}
		}
	}
	return nil
}

func (b *dcPlain) Borders(pairs []DCPair, z []float64) error {
	for _, p := range pairs {
		cut := p.Lo + p.N1
		last, first := cut-1, cut
		if b.thin {
			last, first = 1, 0
		}
		for c := p.Lo; c < cut; c++ {
			z[c] = b.q[last+c*b.rows]
		}
		for c := cut; c < p.Hi(); c++ {
			z[c] = b.q[first+c*b.rows]
		}
	}
	return nil
}

func (b *dcPlain) Roots(merges []*DCMerge) error {
	DCRoots(merges)
	return nil
}

func (b *dcPlain) Merge(merges []*DCMerge) error {
	dcParallel(len(merges), func(i int) {
		m := merges[i]
		cut := m.Lo + m.N1
		upper := dcRows{lo: m.Lo, hi: cut, from: 0, to: m.N1, first: 0, end: m.Upper}
		lower := dcRows{lo: cut, hi: m.Hi(), from: m.N1, to: m.N(), first: m.Lower, end: m.K}
		if b.thin {
			upper.lo, upper.hi, lower.lo, lower.hi = 0, 1, 1, 2
		}
		b.gather(m, upper)
		b.gather(m, lower)
		for j := m.From; j < m.To; j += dcPanel {
			b.multiply(m, j, min(j+dcPanel, m.To), upper, lower)
		}
		for c := m.Lo + m.K; c < m.Hi(); c++ {
			for _, h := range []dcRows{upper, lower} {
				copy(b.column(b.q, c, h.lo, h.hi), b.column(b.w, c, h.lo, h.hi))
			}
		}
	})
	return nil
}

// dcRows is one half of a merge: the rows [lo, hi) of Q. In these rows, Q has the
// columns [from, to) and W, of those that are not deflated, [first, end), counted
// from the block's first; the others are zero.
type dcRows struct{ lo, hi, from, to, first, end int }

// gather is step 1 of DCMerge, for one half of the rows.
func (b *dcPlain) gather(m *DCMerge, h dcRows) {
	from := func(t int32) []float64 {
		if c := int(m.Src[t]); h.from <= c && c < h.to {
			return b.column(b.q, m.Lo+c, h.lo, h.hi)
		}
		return b.zero[:h.hi-h.lo]
	}
	to := func(t int32) []float64 { return b.column(b.w, m.Lo+int(m.Dst[t]), h.lo, h.hi) }
	dcParallel(len(m.Chain)-1, func(c int) {
		first, last := m.Chain[c], m.Chain[c+1]-1
		x := from(first)
		if first < last {
			x = append([]float64(nil), x...)
		}
		for t := first; t < last; t++ {
			out, cos, sin := to(t), m.Cos[t], m.Sin[t]
			for i, y := range from(t + 1) {
				out[i] = cos*x[i] + sin*y
				x[i] = cos*y - sin*x[i]
			}
		}
		copy(to(last), x)
	})
}

// multiply is steps 3 and 4 of DCMerge for the columns [j0, j1) of S.
func (b *dcPlain) multiply(m *DCMerge, j0, j1 int, halves ...dcRows) {
	s := make([]float64, (j1-j0)*m.K)
	dcParallel(j1-j0, func(j int) { m.Vector(j0+j, m.Row, s[j*m.K:(j+1)*m.K]) })
	// A column-major matrix is, to the row-major BLAS, its transpose: Qᵀ = Sᵀ·Wᵀ.
	for _, h := range halves {
		rows, inner := h.hi-h.lo, h.end-h.first
		q := blas64.General{Rows: j1 - j0, Cols: rows, Stride: b.rows, Data: b.q[h.lo+(m.Lo+j0)*b.rows:]}
		if inner == 0 {
			for c := range q.Rows {
				clear(q.Data[c*q.Stride : c*q.Stride+rows])
			}
			continue
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: j1 - j0, Cols: inner, Stride: m.K, Data: s[h.first:]},
			blas64.General{Rows: inner, Cols: rows, Stride: b.rows, Data: b.w[h.lo+(m.Lo+h.first)*b.rows:]},
			0, q)
	}
}

func (b *dcPlain) Sort(order []int32) error {
	dcParallel(len(order), func(j int) {
		copy(b.column(b.w, j, 0, b.rows), b.column(b.q, int(order[j]), 0, b.rows))
	})
	b.q, b.w = b.w, b.q
	b.columns = len(order)
	return nil
}
