package bidiagonal

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// Merge describes how a block of right vectors W and a block of left vectors S are formed, each
// from two smaller blocks. The torn row is the row of C between the two blocks of C. In the bases
// of the vectors of the two smaller blocks, and with the torn row moved to the top, the merged
// block of C is
//
//	    ⎡ z0  z1  z2  … ⎤      poles 0, d1, d2, … : the singular values of both blocks
//	M = ⎢     d1        ⎥      z1, z2, …          : the row times their right vectors
//	    ⎣         d2  … ⎦      z0                 : the row times the upper block's null vector
//
// If both blocks have a null vector, the two are rotated first, and z0 is the row times the one
// that is not orthogonal to the row.
//
// Right and Left are the merges of the two sides. Type dc.Merge describes what a back end computes
// for each of them. Right and Left have equal K, Upper, Lower, Row, From and To, and the same
// secular equation:
//
//	D    d_i², rounded; D[0] = 0
//	Z    z/‖z‖
//	Rho  ‖z‖²
//
// The factor of a side is the matrix of M's vectors on this side. Column j of the right factor is
// Right.Vector(j, …), with the elements ẑ_i/(d_i² − σ²). Column j of the left factor has the
// elements
//
//	−1 for pole 0      d_i·ẑ_i/(d_i² − σ²) for the others
//
// scaled to norm 1. The weights ẑ must contain the factor √Rho, as dc.Secular.ZHat does.
//
// Backend.Roots sets Mu, Origin and the rows of Right. Backend.Roots does not set Mu, Origin and
// the rows of Left.
type Merge struct {
	Right, Left *dc.Merge

	// `null` is the column of the merged block's null vector if the block's last row was torn out,
	// and −1 otherwise.
	null int32
}

func (m *Merge) Side(side Side) *dc.Merge {
	if side == Left {
		return m.Left
	}
	return m.Right
}

// restrict limits the columns that the products form to the wanted ones.
func (m *Merge) restrict(wanted []int32) {
	m.Right.Restrict(wanted)
	m.Left.From, m.Left.To = m.Right.From, m.Right.To
}

// values writes the singular values σ of the merged block to `sigma`, in the order of its columns.
// The secular equation has the squared poles d² and gives a root as σ² = d² + mu. values computes
//
//	σ = d + mu/(d + √(d² + mu))
//
// so that no digits cancel. The square root of the element d² of D is d, because D has rounded
// squares of the poles.
func (m *Merge) values(sigma []float64) {
	r := m.Right
	for j, mu := range r.Mu[:r.K] {
		square := r.D[r.Origin[j]]
		d := math.Sqrt(square)
		sigma[j] = d + mu/(d+math.Sqrt(square+mu))
	}
	r.DeflatedValues(sigma)
}
