package bidiagonal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// Host is the Backend in plain Go. It is neither blocked nor parallel. Tests compare other back
// ends with Host. Tests without a device take numerical results from Host.
type Host struct {
	n int

	// `blocks` holds the right vectors W and the left vectors S of all solved blocks, n×n and
	// column-major.
	blocks [2][]float64

	// `results` has the wanted columns of W and of S, which the method Vectors forms. Both matrices
	// have n rows and are column-major.
	results [2][]float64
}

// NewHost prepares a back end in plain Go for bidiagonal matrices of order n.
func NewHost(n int) *Host {
	return &Host{n: n, blocks: [2][]float64{make([]float64, n*n), make([]float64, n*n)}}
}

// Result returns the wanted singular vectors of one side as the columns of a column-major matrix
// with n rows.
func (b *Host) Result(side Side) []float64 { return b.results[side] }

// column returns rows [lo, hi) of column c of the right vectors W or the left vectors S. The
// argument `side` selects W or S.
func (b *Host) column(side Side, c, lo, hi int) []float64 {
	return b.blocks[side][lo+c*b.n : hi+c*b.n]
}

// Leaves implements Backend.
func (b *Host) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	for _, l := range tree.Leaves {
		if !b.leaf(l, d[l.Lo:l.Hi()], slices.Clone(e[l.Lo:l.Hi()-1])) {
			return &tridiag.NoConvergenceError{Lo: l.Lo, Hi: l.Hi()}
		}
		for c := l.Lo; c < l.Hi(); c++ {
			w := b.column(Right, c, l.Lo, l.Hi())
			rows.First[c], rows.Last[c] = w[0], w[len(w)-1]
		}
	}
	return nil
}

// leaf solves one leaf by gonum's QR iteration. If the last element of d is zero, a parent in the
// tree has removed the last row of the leaf. The singular vectors of this zero row must not mix with
// the other vectors. In this case, rotations first make the last column zero, one row after another,
// and the iteration then runs without the last row and column.
func (b *Host) leaf(l dc.Pair, d, e []float64) bool {
	n := len(d)
	// The rows of w become right singular vectors, and the rows of s become left singular vectors.
	// So a rotation of two columns of C rotates two rows of w.
	w, s := identity(n), identity(n)
	order := n
	if d[n-1] == 0 {
		order--
		fill := 0.0
		if n > 1 {
			fill = e[n-2]
		}
		for i := order - 1; i >= 0; i-- {
			r := math.Hypot(d[i], fill)
			if r == 0 {
				break
			}
			cos, sin := d[i]/r, fill/r
			d[i] = r
			rotate(cos, sin, w[i*n:(i+1)*n], w[order*n:])
			if i > 0 {
				e[i-1], fill = cos*e[i-1], -sin*e[i-1]
			}
		}
	}
	if order > 0 {
		// gonum's matrices are row-major. The function Dbdsqr multiplies u by S from the right, and
		// w by Wᵀ from the left.
		u := identity(n)
		work := make([]float64, 4*order)
		if !(gonum.Implementation{}).Dbdsqr(blas.Upper, order, n, n, 0, d[:order], e[:order-1], w, n, u, n, nil, 1, work) {
			return false
		}
		for i := range n {
			for j := range n {
				s[i+j*n] = u[j+i*n]
			}
		}
	}
	// Dbdsqr returns the singular values in descending order. If the last row of the leaf is zero,
	// its value 0 comes last. The results must ascend, so their order is reversed.
	slices.Reverse(d)
	for c := range n {
		copy(b.column(Right, l.Lo+c, l.Lo, l.Hi()), w[(n-1-c)*n:(n-c)*n])
		copy(b.column(Left, l.Lo+c, l.Lo, l.Hi()), s[(n-1-c)*n:(n-c)*n])
	}
	return true
}

func identity(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i+i*n] = 1
	}
	return x
}

// rotate applies a plane rotation: it replaces x by cos·x + sin·y, and y by cos·y − sin·x.
func rotate(cos, sin float64, x, y []float64) {
	for i := range x {
		x[i], y[i] = cos*x[i]+sin*y[i], cos*y[i]-sin*x[i]
	}
}

// Roots implements Backend. Each merge solves its secular equation as in package dc. The error is
// always nil.
func (b *Host) Roots(merges []*Merge) error {
	if err := dc.NewHost(0).Roots(Of(merges, Right)); err != nil {
		return err
	}
	for _, m := range merges {
		m.Left.Secular = m.Right.Secular
	}
	return nil
}

// Vectors implements the interface Backend: it forms the right and left vectors of all merges. The
// error is always nil.
func (b *Host) Vectors(levels [][]*Merge, order []int32) error {
	for _, side := range Sides {
		for _, merges := range OneSide(levels, side) {
			for _, m := range merges {
				b.merge(m, side)
			}
		}
		b.results[side] = make([]float64, 0, b.n*len(order))
		for _, c := range order {
			b.results[side] = append(b.results[side], b.column(side, int(c), 0, b.n)...)
		}
	}
	return nil
}

// merge forms one diagonal block of W or S from two smaller blocks, as the type dc.Merge describes.
// The argument `side` selects W or S.
func (b *Host) merge(m *dc.Merge, side Side) {
	n := m.N()
	w := make([][]float64, n) // the columns of W
	for c := range len(m.Chain) - 1 {
		first, last := m.Chain[c], m.Chain[c+1]-1
		x := slices.Clone(b.column(side, m.Lo+int(m.Src[first]), m.Lo, m.Hi()))
		for t := first; t < last; t++ {
			y := slices.Clone(b.column(side, m.Lo+int(m.Src[t+1]), m.Lo, m.Hi()))
			rotate(m.Cos[t], m.Sin[t], x, y)
			w[m.Dst[t]], x = x, y
		}
		w[m.Dst[last]] = x
	}
	factor := make([]float64, m.K)
	for j := range n {
		to := b.column(side, m.Lo+j, m.Lo, m.Hi())
		if j >= m.K {
			copy(to, w[j])
			continue
		}
		clear(to)
		if j < m.From || j >= m.To {
			continue
		}
		vector(m, j, side, factor)
		for i, x := range factor {
			for r, y := range w[m.Row[i]] {
				to[r] += x * y
			}
		}
	}
}

// vector writes to x the singular vector j of the merged matrix M on one side (right or left). The
// vector has one element for each pole of the secular equation, and norm 1.
func vector(m *dc.Merge, j int, side Side, x []float64) {
	norm := 0.0
	for i, z := range m.ZHat {
		x[i] = z / ((m.D[i] - m.D[m.Origin[j]]) - m.Mu[j])
		if side == Left {
			x[i] *= math.Sqrt(m.D[i])
		}
		if side == Left && i == 0 {
			x[i] = -1
		}
		norm += x[i] * x[i]
	}
	for i := range x {
		x[i] /= math.Sqrt(norm)
	}
}
