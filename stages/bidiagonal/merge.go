package bidiagonal

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// A Merge describes how a block of W and a block of S are formed, each from two smaller blocks.
// With the vectors of the two smaller blocks as bases, and with the row between them (the torn row)
// moved to the top, the block of C is
//
//	    ⎡ z0  z1  z2  … ⎤      poles 0, d1, d2, … : the singular values of both blocks
//	M = ⎢     d1        ⎥      z1, z2, …          : the row times their right vectors
//	    ⎣         d2  … ⎦      z0                 : the row times the upper block's null vector
//
// Right and Left are the merges of the two sides. Type dc.Merge describes what a back end computes
// for each of them. Both have the same K, Upper, Lower, Row, From and To, and the same secular
// equation:
//
//	D    d_i², rounded; D[0] = 0
//	Z    z/‖z‖
//	Rho  ‖z‖²
//
// The factor of a side is the matrix of M's vectors on that side. Column j of the right factor is
// Right.Vector(j, …), with the entries ẑ_i/(d_i² − σ²). Column j of the left factor has the entries
//
//	−1 for pole 0      d_i·ẑ_i/(d_i² − σ²) for the others
//
// scaled to norm 1. The weights ẑ must contain the factor √Rho, as dc.Secular.ZHat does.
//
// Backend.Roots sets Mu, Origin and the rows of Right. It does not set those of Left.
type Merge struct {
	Right, Left *dc.Merge

	// null is the column of the merged block's null vector if the block's last row is torn out.
	// Otherwise it is −1.
	null int32
}

// Side returns the merge of one side.
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

// values writes the singular values of the merged block to sigma, in the order of its columns. The
// roots are given as σ² = d² + mu, and values computes
//
//	σ = d + mu/(d + √(d² + mu))
//
// In this formula no digits cancel. The square root of D is d itself, because D is a rounded
// square.
func (m *Merge) values(sigma []float64) {
	r := m.Right
	for j, mu := range r.Mu[:r.K] {
		square := r.D[r.Origin[j]]
		d := math.Sqrt(square)
		sigma[j] = d + mu/(d+math.Sqrt(square+mu))
	}
	r.DeflatedValues(sigma)
}
