package bidiagonal

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// blocks are the two solved blocks of a merge, and the row between them.
type blocks struct {
	dc.Pair
	sigma []float64 // their values, by column
	rows  dc.Rows   // first and last rows of their right vectors
	order []int32   // sigma[order[i]] ascends

	upperNull int32 // the column of the upper block's torn row
	lowerNull int32 // that of the lower block's torn row, counted from the merge's first column; or −1

	dk, ek float64 // the row: its elements in the last column of the upper block, and in the next one
}

// newMerge deflates (dlasd2): it finds the triplets that are triplets of M to working accuracy, and
// rotates columns so that there are more of them. Each rule makes an element of M zero that is at
// most tol:
//
//	|z_i|                             z_i itself
//	d_i·|z_i|/r,  r = √(z_0² + z_i²)  d_i is near to 0: columns 0 and i of W are rotated until z_i is
//	                                  zero; the rotation puts this number below z_0
//	(d_i − d_l)·|z_i·z_l|/r²          d_i is near to d_l: columns i and l of W and of S are rotated
//	                                  until z_i is zero; the two rotations put this number off the
//	                                  diagonal; r = √(z_l² + z_i²)
//
// The null vectors of both blocks are rotated in the same way: one of the two, orthogonal to the row,
// is the null vector of the merged block.
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
	columns.AddPole(b.upperNull) // it is the first one; its numbers follow at the end
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
		m.null = int32(right.K) // it was deflated first
	}
	return m
}

// zeroChain is the chain of pole 0. Each of its steps makes an element of the row zero, rotating two
// columns of W; S has no part in it. Other chains may grow at the same time.
type zeroChain struct {
	*dc.Columns
	column   int32 // which has pole 0 after the steps so far
	src, dst []int32
	cos, sin []float64
}

// rotate rotates pole 0 and column c until one of them has no element in the row, and deflates that
// one, if the element that the rotation puts below z_0 is at most tol. Pole 0 goes on in column c. Its
// sign changes, so that no value becomes negative.
func (x *zeroChain) rotate(c int32, tol float64) bool {
	a, cos, sin := x.column, 1.0, 0.0
	if x.D[c]*math.Abs(x.Z[c]) > 2*tol*(math.Abs(x.Z[a])+math.Abs(x.Z[c])) {
		return false // surely; most columns are decided without a root and a quotient
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

// end sets the numbers of pole 0, which remains a pole. Its z is kept from zero.
func (x *zeroChain) end(tol float64) {
	if z := &x.Z[x.column]; math.Abs(*z) <= tol {
		*z = math.Copysign(tol, *z)
	}
	x.SetPole(0, x.column)
	x.dst = append(x.dst, 0)
}

// appendTo appends the chain to the steps of W, and returns the steps of S. There each column of the
// chain is a chain by itself: the first one is pole 0, and the others are deflated.
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

// square replaces the poles d and the row z by those of the secular equation in σ².
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
