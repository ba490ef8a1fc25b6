package bidiagonal

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// blocks holds two solved blocks of the bidiagonal matrix, and the torn row between them.
type blocks struct {
	dc.Pair
	sigma []float64 // singular values of both blocks, by column
	rows  dc.Rows   // first and last rows of the right vectors
	order []int32   // sigma[order[i]] ascends

	upperNull int32 // the column of the upper block's null vector
	lowerNull int32 // the column of the lower block's null vector, or −1; counted from the merge's first column

	dk, ek float64 // the row between the blocks: its elements in the upper block's last column and in the next column
}

// newMerge prepares a merge and deflates (dlasd2): it finds the singular triplets of the two blocks
// that are also triplets of the merged matrix M, to working accuracy. It rotates columns of the
// vectors W and S to get more such triplets. There are three rules. Each rule sets an element of M
// to zero whose magnitude is at most `tol`. z is the full row of M, and d_i are its poles:
//
//	|z_i|                             z_i is set to zero
//	d_i·|z_i|/r,  r = √(z_0² + z_i²)  d_i is near to 0: columns 0 and i of W are rotated until z_i is
//	                                  zero; the rotation puts this number below z_0
//	(d_i − d_l)·|z_i·z_l|/r²,         d_i is near to d_l: columns i and l of W and of S are rotated
//	r = √(z_l² + z_i²)                until z_i is zero; the two rotations put this number off the
//	                                  diagonal
//
// The null vectors of the two blocks are rotated until one of them is orthogonal to the torn row.
// This vector is the null vector of the merged block.
func newMerge(b blocks) *Merge {
	columns := dc.NewColumns(b.Pair, b.sigma, b.rows)
	norm := max(math.Abs(b.dk), math.Abs(b.ek))
	for c := range columns.Z {
		if c < b.N1 {
			columns.Z[c] = b.dk * b.rows.Last[c]
		} else {
			columns.Z[c] = b.ek * b.rows.First[c]
		}
		norm = max(norm, columns.D[c], math.Abs(columns.Z[c]))
	}
	tol := 8 * tridiag.Roundoff * norm

	x := &zeroChain{Columns: columns, column: b.upperNull, src: []int32{b.upperNull}}
	columns.AddPole(b.upperNull) // pole 0 is the first pole; SetPole sets its numbers at the end
	if b.lowerNull >= 0 {
		x.rotate(b.lowerNull, math.Inf(1))
	}
	var negligible []int32
	for _, c := range b.order {
		switch {
		case c == b.upperNull || c == b.lowerNull:
		case math.Abs(columns.Z[c]) <= tol:
			negligible = append(negligible, c)
		case !x.rotate(c, tol):
			columns.Pole(c, tol)
		}
	}
	columns.Single(negligible)
	x.end(tol)
	left := x.appendTo(&columns.Merge.Gather)
	columns.Number(&columns.Merge.Gather, &left)

	right := columns.Merge
	square(&right.Secular)
	m := &Merge{Right: right, Left: right.With(left), null: -1}
	if b.lowerNull >= 0 {
		m.null = int32(right.K) // the null vector was deflated first
	}
	return m
}

// zeroChain is the sequence of rotations of the column of pole 0 with other columns. Pole 0 is the
// pole d_0 = 0 of the merged matrix M. A rotation acts on two columns of the right vectors W, sets
// an element of the full row z of M to zero, and does not change the left vectors S. While this
// chain grows, chains of other columns may grow, too.
type zeroChain struct {
	*dc.Columns
	column   int32 // the column that holds pole 0 after the rotations so far
	src, dst []int32
	cos, sin []float64
}

// rotate rotates two columns of W, the right singular vectors of the two blocks: column a, which
// belongs to pole 0 before the rotation, and column c. Let r = √(z_a² + z_c²). The rotation makes
// z_a zero and z_c = ±r. It also creates an element below z_0 in the merged matrix M (see Merge),
// of magnitude d_c·|z_c|/r. If this element is above `tol`, rotate changes nothing and returns
// false. Otherwise it takes the element as zero and returns true. Then column a is deflated, and
// column c belongs to pole 0. The new column c changes its sign, so that no singular value becomes
// negative.
func (x *zeroChain) rotate(c int32, tol float64) bool {
	a, cos, sin := x.column, 1.0, 0.0
	if x.D[c]*math.Abs(x.Z[c]) > 2*tol*(math.Abs(x.Z[a])+math.Abs(x.Z[c])) {
		return false // the exact test below would fail, too; this one needs no root and no quotient
	}
	r := math.Copysign(math.Hypot(x.Z[a], x.Z[c]), x.Z[a])
	if r != 0 {
		cos, sin = x.Z[a]/r, x.Z[c]/r // cos ≥ 0
	}
	if x.D[c]*math.Abs(sin) > tol {
		return false
	}
	x.Turn(a, c, -sin, cos)
	x.D[a], x.D[c] = cos*x.D[c], 0
	x.Z[a], x.Z[c] = 0, -r
	x.cos, x.sin = append(x.cos, -sin), append(x.sin, cos)
	x.dst = append(x.dst, x.Deflate(a))
	x.src = append(x.src, c)
	x.column = c
	return true
}

// `end` sets the numbers of pole 0, which always remains in the secular equation. If the magnitude
// of its weight z is at most `tol`, z becomes `tol` with the sign of z.
func (x *zeroChain) end(tol float64) {
	if z := &x.Z[x.column]; math.Abs(*z) <= tol {
		*z = math.Copysign(tol, *z)
	}
	x.SetPole(0, x.column)
	x.dst = append(x.dst, 0)
}

// appendTo appends the chain to `right`, the steps by which a back end makes the columns of W, and
// returns the steps for S. The chain rotates columns of W, but it only copies the same columns of
// S. So W gets one chain of many steps, and S gets many chains of one step each. Pole 0 belongs to
// the last column of the chain in W, and to the first one in S. The other columns are deflated.
func (x *zeroChain) appendTo(right *dc.Gather) (left dc.Gather) {
	first := len(right.Src)
	copy(right.Cos[first:], x.cos)
	copy(right.Sin[first:], x.sin)
	right.Src = append(right.Src, x.src...)
	left = *right
	left.Chain, left.Dst = slices.Clone(right.Chain), slices.Clone(right.Dst)
	last := len(x.dst) - 1
	left.Dst = append(append(left.Dst, x.dst[last]), x.dst[:last]...)
	for t := range x.dst {
		left.Chain = append(left.Chain, int32(first+t))
	}
	right.Chain = append(right.Chain, int32(first))
	right.Dst = append(right.Dst, x.dst...)
	return left
}

// square replaces the poles d_i and the row z by the poles d_i² and the weights z/‖z‖ of the
// secular equation, whose unknown is σ².
func square(p *dc.Secular) {
	p.Rho = 0
	for i, z := range p.Z {
		p.D[i] *= p.D[i]
		p.Rho += z * z
	}
	norm := math.Sqrt(p.Rho)
	for i := range p.Z {
		p.Z[i] /= norm
	}
}
