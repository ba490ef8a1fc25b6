package dc

import (
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Host is the Backend in plain Go. It specifies the results of other back ends, and also runs in
// production. Host is blocked, uses gonum's matrix products and runs on all processors.
type Host struct {
	// Stop is called often while the back end works, by several goroutines. After an error of Stop,
	// each later call must return an error, too, and the solver ends with this error. Stop may be nil.
	Stop func() error

	// Progress is called while Vectors works, by several goroutines, with a part of the work of
	// Vectors that has been done. The sum of these parts is 1. Progress may be nil.
	Progress func(part float64)

	n       int
	leaves  []solvedLeaf
	q, w    []float64 // n×n, column-major; nil if only values are wanted
	zero    []float64 // a column of zeros
	columns int       // number of columns of the result, which is in q
	flops   float64   // number of operations in the products of Vectors
}

// solvedLeaf holds the eigenvectors of a leaf (a smallest subproblem), which are rows and columns
// [lo, lo+n) of the matrix Q of all eigenvectors.
type solvedLeaf struct {
	lo, n   int
	vectors []float64 // n×n, column-major
}

// panelColumns is the number of columns of S (the vectors of a secular equation) that are in memory
// at the same time.
const panelColumns = 128

// NewHost prepares a back end in plain Go for matrices of order n. Memory for n² elements is
// allocated only when the method Vectors is called.
func NewHost(n int) *Host { return &Host{n: n} }

// column returns rows [lo, hi) of column c of the n×n matrix a, as a slice.
func (b *Host) column(a []float64, c, lo, hi int) []float64 {
	return a[lo+c*b.n : hi+c*b.n]
}

// Result returns the eigenvectors that the method Vectors has formed, as a column-major matrix with n
// rows, after SolveWith. It is empty if Vectors was not called. It shares the memory of b.
func (b *Host) Result() []float64 { return b.q[:b.n*b.columns] }

// Leaves implements Backend.
func (b *Host) Leaves(tree Tree, d, e []float64, rows Rows) error {
	leaves := tree.Leaves
	b.leaves = make([]solvedLeaf, len(leaves))
	failed := make([]bool, len(leaves))
	err := tridiag.ParallelUntil(len(leaves), func(i int) {
		lo, n := leaves[i].Lo, leaves[i].N1
		l := solvedLeaf{lo, n, make([]float64, n*n)}
		failed[i] = !solveLeaf(d[lo:lo+n], slices.Clone(e[lo:lo+n-1]), l.vectors)
		for c := range n {
			rows.First[lo+c], rows.Last[lo+c] = l.vectors[c*n], l.vectors[c*n+n-1]
		}
		b.leaves[i] = l
	}, b.Stop)
	if err != nil {
		return err
	}
	if i := slices.Index(failed, true); i >= 0 {
		return &tridiag.NoConvergenceError{Lo: leaves[i].Lo, Hi: leaves[i].Hi()}
	}
	return nil
}

// stopped returns the error of Stop.
func (b *Host) stopped() error {
	if b.Stop == nil {
		return nil
	}
	return b.Stop()
}

// Roots implements the interface Backend: it solves the secular equations of the given merges. The
// error is that of Stop.
func (b *Host) Roots(merges []*Merge) error {
	if err := b.stopped(); err != nil {
		return err
	}
	solveRoots(merges)
	return nil
}

// Vectors implements the interface Backend: it forms the eigenvectors of all merges. The error is
// that of Stop.
func (b *Host) Vectors(levels [][]*Merge, order []int32) error {
	b.q, b.w, b.zero = make([]float64, b.n*b.n), make([]float64, b.n*b.n), make([]float64, b.n)
	b.flops = flopsOfAll(levels)
	for _, l := range b.leaves {
		for c := range l.n {
			copy(b.column(b.q, l.lo+c, l.lo, l.lo+l.n), l.vectors[c*l.n:])
		}
	}
	// The merges of one level use different blocks of the matrices q and w, so the merges can run
	// in parallel.
	for _, merges := range levels {
		tridiag.Parallel(len(merges), func(i int) { b.merge(merges[i]) })
		if err := b.stopped(); err != nil {
			return err
		}
	}
	err := tridiag.ParallelUntil(len(order), func(j int) {
		copy(b.column(b.w, j, 0, b.n), b.column(b.q, int(order[j]), 0, b.n))
	}, b.Stop)
	b.q, b.w = b.w, b.q
	b.columns = len(order)
	return err
}

// merge forms one diagonal block of the matrix Q of eigenvectors from two smaller blocks, as the
// type Merge describes. It ends early after an error of Stop.
func (b *Host) merge(m *Merge) {
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
// non-zeros only in columns [from, to), and the first K columns of W have non-zeros only in columns
// [first, end). Column 0 is the first column of the merge.
type halfRows struct{ lo, hi, from, to, first, end int }

// halvesOf returns the two halves of a merge.
func halvesOf(m *Merge) []halfRows {
	cut := m.Lo + m.N1
	return []halfRows{
		{lo: m.Lo, hi: cut, from: 0, to: m.N1, first: 0, end: m.Upper},
		{lo: cut, hi: m.Hi(), from: m.N1, to: m.N(), first: m.Lower, end: m.K},
	}
}

// flopsOf returns the number of operations of the products that form some columns of a merge.
func flopsOf(halves []halfRows, columns int) (flops float64) {
	for _, h := range halves {
		flops += 2 * float64(columns) * float64(h.hi-h.lo) * float64(h.end-h.first)
	}
	return flops
}

// flopsOfAll returns the number of operations of all products of Vectors.
func flopsOfAll(levels [][]*Merge) (flops float64) {
	for _, merges := range levels {
		for _, m := range merges {
			flops += flopsOf(halvesOf(m), m.To-m.From)
		}
	}
	return flops
}

// gather computes those rows of W = Q·G that belong to one of the two blocks of a merge. G has the
// rotations and the permutation of the merge.
func (b *Host) gather(m *Merge, h halfRows) {
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

// multiply forms the columns [j0, j1) of S, the matrix of the vectors of the secular equation, and
// multiplies W by these columns. W has the vectors of both blocks after rotations and a
// permutation. The products are columns of the merged block of Q.
func (b *Host) multiply(m *Merge, j0, j1 int, halves []halfRows) {
	s := make([]float64, (j1-j0)*m.K)
	tridiag.Parallel(j1-j0, func(j int) { m.Vector(j0+j, m.Row, s[j*m.K:(j+1)*m.K]) })
	// gonum's BLAS is row-major, so it reads a column-major matrix as its transpose. Therefore the
	// product is computed as Qᵀ = Sᵀ·Wᵀ.
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
