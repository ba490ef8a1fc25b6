package bidiagonal

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// A Merge makes one block of W and one of S from two each. In the bases of the two blocks, and with
// the torn row moved to the top, the block is
//
//	    ⎡ z0  z1  z2  … ⎤      poles 0, d1, d2, … : the singular values of both blocks
//	M = ⎢     d1        ⎥      z1, z2, …          : the row times their right vectors
//	    ⎣         d2  … ⎦      z0                 : the row times the upper block's null vector
//
// Each side is a dc.Merge, which says what a back end computes for it. Both sides have the same K,
// Upper, Lower, Row, From and To, and the same secular equation:
//
//	D    d_i², rounded; D[0] = 0
//	Z    z/‖z‖
//	Rho  ‖z‖²
//
// Column j of the factor of Right is Right.Vector(j, …), with entries ẑ_i/(d_i² − σ²). That of the
// factor of Left has the entries
//
//	−1 for pole 0      d_i·ẑ_i/(d_i² − σ²) for the others
//
// scaled to norm 1. The weights ẑ must have the factor √Rho, as dc.Secular's ZHat has.
//
// Roots sets Mu, Origin and the rows of Right. Left has none of them.
type Merge struct {
	Right, Left *dc.Merge

	// null is the column of the merged block whose left vector is the block's last row, if that row
	// is torn out; otherwise −1.
	null int32
}

// Side returns one side.
func (m *Merge) Side(side Side) *dc.Merge {
	if side == Left {
		return m.Left
	}
	return m.Right
}

// restrict sets From and To of both sides.
func (m *Merge) restrict(wanted []int32) {
	m.Right.Restrict(wanted)
	m.Left.From, m.Left.To = m.Right.From, m.Right.To
}

// values writes the singular values of the merged block to sigma, in the order of its columns. As
// σ² = d² + mu,
//
//	σ = d + mu/(d + √(d² + mu))
//
// where no digits cancel. The square root of D is d itself, as D is a rounded square.
func (m *Merge) values(sigma []float64) {
	r := m.Right
	for j, mu := range r.Mu[:r.K] {
		square := r.D[r.Origin[j]]
		d := math.Sqrt(square)
		sigma[j] = d + mu/(d+math.Sqrt(square+mu))
	}
	r.DeflatedValues(sigma)
}
