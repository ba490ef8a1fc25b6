package bidiagonal

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// Host is the Backend in plain Go, on all processors. Tests compare other back ends with Host. In
// production, Host solves for devices without double precision.
type Host struct {
	// Stop and Progress are those of dc.Host. The parts that Progress receives add up to 1 over all
	// wanted sides.
	Stop     func() error
	Progress func(part float64)

	// Wanted tells for each side whether its vectors are wanted. NewHost sets both to true.
	Wanted [2]bool

	n      int
	leaves []solvedLeaf
	blocks [2]*dc.Blocks // the vectors W and S of all solved blocks; nil before Vectors
}

// solvedLeaf holds the vectors of a leaf, which is the rows and columns [lo, lo+n) of the
// bidiagonal matrix. The vectors are n×n, column by column.
type solvedLeaf struct {
	lo, n   int
	vectors [2][]float64
}

// NewHost prepares a back end for matrices of order n. Vectors allocates memory: for at most 2·n²
// elements if one side is wanted, 3·n² if both are.
func NewHost(n int) *Host { return &Host{n: n, Wanted: [2]bool{true, true}} }

// Result returns the wanted vectors of one side as the columns of a column-major matrix with n
// rows, in the memory of b. The matrix is empty if the vectors are not wanted.
func (b *Host) Result(side Side) []float64 {
	if b.blocks[side] == nil {
		return nil
	}
	return b.blocks[side].Result()
}

func (b *Host) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	b.leaves = make([]solvedLeaf, len(tree.Leaves))
	failed := make([]bool, len(tree.Leaves))
	err := tridiag.ParallelUntil(len(tree.Leaves), func(i int) {
		l := tree.Leaves[i]
		n := l.N1
		solved := solvedLeaf{lo: l.Lo, n: n, vectors: [2][]float64{make([]float64, n*n), make([]float64, n*n)}}
		failed[i] = !solved.solve(d[l.Lo:l.Hi()], slices.Clone(e[l.Lo:l.Hi()-1]))
		for c := range n {
			w := solved.vectors[Right][c*n : (c+1)*n]
			rows.First[l.Lo+c], rows.Last[l.Lo+c] = w[0], w[n-1]
		}
		b.leaves[i] = solved
	}, b.Stop)
	if err != nil {
		return err
	}
	if i := slices.Index(failed, true); i >= 0 {
		return &tridiag.NoConvergenceError{Lo: tree.Leaves[i].Lo, Hi: tree.Leaves[i].Hi()}
	}
	return nil
}

// solve solves a leaf by gonum's QR iteration. If the last element of d is zero, the last row of
// the leaf is torn out, and the singular vectors of this row must not mix with the others. Then
// rotations first make the last column zero, one row after another, and the iteration runs without
// the last row and column. d gets the singular values, in ascending order. The result is false if
// the iteration does not converge.
func (l solvedLeaf) solve(d, e []float64) bool {
	n := len(d)
	// The rows of w and s become right and left singular vectors. So a rotation of two columns of
	// the bidiagonal matrix rotates two rows of w.
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
		// gonum's matrices are row-major. The function Dbdsqr computes a factorisation S·Σ·Wᵀ. It
		// multiplies u by S from the right, and w by Wᵀ from the left.
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
	// Dbdsqr returns descending values. A zero value of a torn row comes last.
	slices.Reverse(d)
	for c := range n {
		copy(l.vectors[Right][c*n:(c+1)*n], w[(n-1-c)*n:(n-c)*n])
		copy(l.vectors[Left][c*n:(c+1)*n], s[(n-1-c)*n:(n-c)*n])
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

func rotate(cos, sin float64, x, y []float64) {
	for i := range x {
		x[i], y[i] = cos*x[i]+sin*y[i], cos*y[i]-sin*x[i]
	}
}

// Roots solves the secular equation of each merge with the back end of package dc. The right and
// the left side of a merge have the same equation, so it is solved once.
func (b *Host) Roots(merges []*Merge) error {
	host := dc.NewHost(0)
	host.Stop = b.Stop
	if err := host.Roots(Of(merges, Right)); err != nil {
		return err
	}
	for _, m := range merges {
		m.Left.Secular = m.Right.Secular
	}
	return nil
}

// Vectors forms the wanted vectors, one side after the other.
func (b *Host) Vectors(levels [][]*Merge, order []int32) error {
	sides := 0.0
	for _, wanted := range b.Wanted {
		if wanted {
			sides++
		}
	}
	for _, side := range Sides {
		if !b.Wanted[side] {
			continue
		}
		blocks := dc.NewBlocks(b.n)
		blocks.Stop = b.Stop
		if b.Progress != nil {
			blocks.Progress = func(part float64) { b.Progress(part / sides) }
		}
		blocks.Factor = func(m *dc.Merge, j int, x []float64) { vector(m, j, side, x) }
		for _, l := range b.leaves {
			blocks.SetLeaf(l.lo, l.n, l.vectors[side])
		}
		if err := blocks.Merge(OneSide(levels, side), order); err != nil {
			return err
		}
		b.blocks[side] = blocks
	}
	return nil
}

// vector writes singular vector j of the merged matrix M on one side to x, with norm 1. The element
// of pole i is x[m.Row[i]].
func vector(m *dc.Merge, j int, side Side, x []float64) {
	norm := 0.0
	for i, z := range m.ZHat {
		v := z / ((m.D[i] - m.D[m.Origin[j]]) - m.Mu[j])
		if side == Left {
			v *= math.Sqrt(m.D[i])
		}
		if side == Left && i == 0 {
			v = -1
		}
		norm += v * v
		x[m.Row[i]] = v
	}
	norm = math.Sqrt(norm)
	for i := range x {
		x[i] /= norm
	}
}
