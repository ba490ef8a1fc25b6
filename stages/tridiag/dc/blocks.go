package dc

import (
	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Blocks holds the block diagonal matrix Q of the vectors of all solved blocks, and merges the
// blocks in plain Go, with gonum's matrix products, on all processors. Package bidiagonal has one
// Blocks for each side of the singular vectors.
type Blocks struct {
	// The function Factor writes to x column j of the matrix S of a merge. S holds the eigenvectors
	// of the secular equation in the basis of Q. The element of pole i goes to x[m.Row[i]].
	// NewBlocks sets Factor; package bidiagonal replaces it by the singular vectors of one side.
	Factor func(m *Merge, j int, x []float64)

	// Stop and Progress are those of Host. The parts that Progress gets in Merge add up to 1.
	Stop     func() error
	Progress func(part float64)

	n       int
	q, w    []float64 // n×n, column-major
	zero    []float64
	columns int     // number of columns of the result, which is in q
	flops   float64 // number of operations in the products of Merge
}

// panelColumns is the largest number of columns of S, the eigenvectors of the secular equation of a
// merge, that are in memory at a time.
const panelColumns = 128

// NewBlocks allocates memory for 2·n² elements, for matrices of order n.
func NewBlocks(n int) *Blocks {
	return &Blocks{
		Factor: func(m *Merge, j int, x []float64) { m.Vector(j, m.Row, x) },
		n:      n, q: make([]float64, n*n), w: make([]float64, n*n), zero: make([]float64, n),
	}
}

// SetLeaf sets the eigenvectors of one leaf, which are the rows and columns [lo, lo+n) of the
// block-diagonal matrix Q.
func (b *Blocks) SetLeaf(lo, n int, vectors []float64) {
	for c := range n {
		copy(b.column(b.q, lo+c, lo, lo+n), vectors[c*n:])
	}
}

// Merge merges the blocks of Q, level by level, so that the columns of Q become eigenvectors of T.
// Then Merge replaces Q by those columns that `order` lists, in that order. Merge may be called
// once. The error is that of Stop.
func (b *Blocks) Merge(levels [][]*Merge, order []int32) error {
	b.flops = flopsOfAll(levels)
	for _, merges := range levels {
		tridiag.Parallel(len(merges), func(i int) { b.merge(merges[i]) })
		if err := b.stopped(); err != nil {
			return err
		}
	}
	err := tridiag.ParallelUntil(len(order), func(j int) {
		copy(b.column(b.w, j, 0, b.n), b.column(b.q, int(order[j]), 0, b.n))
	}, b.Stop)
	b.q, b.w, b.columns = b.w, nil, len(order)
	return err
}

// Result returns the columns that Merge has taken, as a column-major matrix with n rows in the
// memory of b.
func (b *Blocks) Result() []float64 { return b.q[:b.n*b.columns] }

func (b *Blocks) stopped() error {
	if b.Stop == nil {
		return nil
	}
	return b.Stop()
}

func (b *Blocks) column(a []float64, c, lo, hi int) []float64 {
	return a[lo+c*b.n : hi+c*b.n]
}

// merge forms one diagonal block of Q, the eigenvectors of a merged block of T, from two smaller
// blocks, as the type Merge describes. It ends early after an error of Stop.
func (b *Blocks) merge(m *Merge) {
	halves := halvesOf(m)
	for _, h := range halves {
		b.gather(m, h)
	}
	for j := m.From; j < m.To; j += panelColumns {
		if b.stopped() != nil {
			return
		}
		to := min(j+panelColumns, m.To)
		b.multiply(m, j, to, halves)
		if b.Progress != nil {
			b.Progress(flopsOf(halves, to-j) / b.flops)
		}
	}
	for c := m.Lo + m.K; c < m.Hi(); c++ {
		copy(b.column(b.q, c, m.Lo, m.Hi()), b.column(b.w, c, m.Lo, m.Hi()))
	}
}

// halfRows describes one half of a merge, which is the rows [lo, hi) of Q. In these rows, Q has
// non-zeros only in columns [from, to). W is Q after the rotations and the permutation of
// deflation. In these rows, its first K columns have non-zeros only in columns [first, end). Column
// 0 is the first column of the merge.
type halfRows struct{ lo, hi, from, to, first, end int }

func halvesOf(m *Merge) []halfRows {
	cut := m.Lo + m.N1
	return []halfRows{
		{lo: m.Lo, hi: cut, from: 0, to: m.N1, first: 0, end: m.Upper},
		{lo: cut, hi: m.Hi(), from: m.N1, to: m.N(), first: m.Lower, end: m.K},
	}
}

func flopsOf(halves []halfRows, columns int) (flops float64) {
	for _, h := range halves {
		flops += 2 * float64(columns) * float64(h.hi-h.lo) * float64(h.end-h.first)
	}
	return flops
}

func flopsOfAll(levels [][]*Merge) (flops float64) {
	for _, merges := range levels {
		for _, m := range merges {
			flops += flopsOf(halvesOf(m), m.To-m.From)
		}
	}
	return flops
}

// gather computes the rows of W = Q·G in one half of a merge. The columns of Q are the eigenvectors
// of the two blocks. G consists of the rotations and the permutation of deflation.
func (b *Blocks) gather(m *Merge, h halfRows) {
	from := func(t int32) []float64 {
		if c := int(m.Src[t]); h.from <= c && c < h.to {
			return b.column(b.q, m.Lo+c, h.lo, h.hi)
		}
		return b.zero[:h.hi-h.lo]
	}
	to := func(t int32) []float64 { return b.column(b.w, m.Lo+int(m.Dst[t]), h.lo, h.hi) }
	tridiag.Parallel(len(m.Chain)-1, func(c int) {
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

// multiply forms the columns [j0, j1) of S, the eigenvectors of the secular equation, and
// multiplies the gathered columns W by them. The products are columns of the merged block of Q.
// Type Merge describes S and W.
func (b *Blocks) multiply(m *Merge, j0, j1 int, halves []halfRows) {
	s := make([]float64, (j1-j0)*m.K)
	tridiag.Parallel(j1-j0, func(j int) { b.Factor(m, j0+j, s[j*m.K:(j+1)*m.K]) })
	// gonum reads a column-major matrix as its transpose. So instead of the product W·S it computes
	// the transpose Sᵀ·Wᵀ.
	for _, h := range halves {
		rows, inner := h.hi-h.lo, h.end-h.first
		q := blas64.General{Rows: j1 - j0, Cols: rows, Stride: b.n, Data: b.q[h.lo+(m.Lo+j0)*b.n:]}
		if inner == 0 {
			for c := range q.Rows {
				clear(q.Data[c*q.Stride : c*q.Stride+rows])
			}
			continue
		}
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: j1 - j0, Cols: inner, Stride: m.K, Data: s[h.first:]},
			blas64.General{Rows: inner, Cols: rows, Stride: b.n, Data: b.w[h.lo+(m.Lo+h.first)*b.n:]},
			0, q)
	}
}
