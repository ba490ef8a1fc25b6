package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	// A leaf of n rows that needs more than leafSweeps·n sweeps has not converged. About 2·n sweeps
	// are usual.
	leafSweeps = 30

	// leafPatience is the number of sweeps without a converged value after which the iteration
	// continues from the other end of the block.
	leafPatience = 8

	// leafTiny is a magnitude that is negligible in a block whose norm is about 1. The square of
	// leafTiny is a normal number. Numbers below leafTiny have a normal square after multiplication
	// by leafLift.
	leafTiny, leafLift = 0x1p-400, 0x1p600
)

// solveLeaf computes T = V·diag(d)·Vᵀ by implicit QL iteration (dsteqr). T has the diagonal d with
// n elements, the off-diagonal e with n−1 elements, and a norm of about 1 or less. Afterwards d has
// the eigenvalues in ascending order, and v has their vectors, n×n and column-major. v must be zero
// before the call. e is overwritten. The result is false if leafSweeps·n sweeps are not enough.
// This has been seen only for matrices with NaN.
//
// The kernel stedc_leaf does the same with a workgroup: one thread iterates, and then all threads
// apply the rotations of the sweep, each thread to its own rows.
func solveLeaf(d, e, v []float64) bool {
	n := len(d)
	cos, sin := make([]float64, n), make([]float64, n)
	for i := range n {
		v[i+i*n] = 1
	}
	s := leafState{hi: -1}
	for sweeps := 0; s.next(d, e); sweeps++ {
		if sweeps == leafSweeps*n {
			return false
		}
		s.sweep(d, e, cos, sin)
		for row := range n {
			for i := s.hi - s.lo - 1; i >= 0; i-- {
				near, far := row+n*s.at(i), row+n*s.at(i+1)
				x, y := v[near], v[far]
				v[far] = cos[i]*y + sin[i]*x
				v[near] = cos[i]*x - sin[i]*y
			}
		}
	}
	sortLeaf(d, v)
	return true
}

// leafState is an unreduced block, rows lo … hi, including hi. No off-diagonal element in it is
// negligible.
type leafState struct {
	lo, hi int
	turned bool // values converge at hi, not at lo
	futile int  // sweeps since the block was found
}

// `at` returns the index in T of row i of the block, where row 0 is at that end of the block at
// which eigenvalues converge.
func (s *leafState) at(i int) int {
	if s.turned {
		return s.hi - i
	}
	return s.lo + i
}

// `off` returns the index in e of the off-diagonal element between rows i and i + 1 of the block.
func (s *leafState) off(i int) int { return min(s.at(i), s.at(i+1)) }

// next finds the first unreduced block, and returns false if there is none, which means that all
// eigenvalues have been found.
//
// The sweeps run in the direction in which eigenvalues converge at the end of the block with the
// small elements. In the other direction, the bulge of a sweep would underflow on its way from
// small to large elements, and the shift would be lost. If small elements are in the middle of the
// block, values may still not converge. Therefore the direction changes from time to time.
func (s *leafState) next(d, e []float64) bool {
	lo := s.lo
	for lo < len(e) && leafNegligible(e[lo], d[lo], d[lo+1]) {
		lo++
	}
	if lo == len(e) {
		return false
	}
	hi := lo + 1
	for hi < len(e) && !leafNegligible(e[hi], d[hi], d[hi+1]) {
		hi++
	}
	s.futile++
	switch {
	case lo != s.lo || hi != s.hi:
		s.turned = math.Abs(d[hi])+math.Abs(e[hi-1]) < math.Abs(d[lo])+math.Abs(e[lo])
		s.futile = 0
	case s.futile%leafPatience == 0:
		s.turned = !s.turned
	}
	s.lo, s.hi = lo, hi
	return true
}

func leafNegligible(e, a, b float64) bool {
	e = math.Abs(e)
	return e <= leafTiny || e*e <= (tridiag.Roundoff*math.Abs(a))*(tridiag.Roundoff*math.Abs(b))
}

// sweep does one implicit QL step with Wilkinson's shift on the block. The rotation of columns i
// and i + 1 of the block has the cosine cos[i] and the sine sin[i]. The rotation of the last
// columns is applied first.
func (s *leafState) sweep(d, e, cos, sin []float64) {
	// Wilkinson's shift is that eigenvalue of the leading 2×2 block which is nearer to the first
	// element of the block.
	last := s.hi - s.lo
	first := e[s.off(0)]
	g := (d[s.at(1)] - d[s.at(0)]) / (2 * first)
	r := math.Sqrt(g*g + 1)
	if g < 0 {
		r = -r
	}
	g = (d[s.at(last)] - d[s.at(0)]) + first/(g+r)
	sn, cs, p := 1.0, 1.0, 0.0
	for i := last - 1; i >= 0; i-- {
		f, b := sn*e[s.off(i)], cs*e[s.off(i)]
		cs, sn, r = leafRotation(g, f)
		if i < last-1 {
			e[s.off(i+1)] = r
		}
		far, near := s.at(i+1), s.at(i)
		g = d[far] - p
		r = (d[near]-g)*sn + 2*cs*b
		p = sn * r
		d[far] = g + p
		g = cs*r - b
		cos[i], sin[i] = cs, sn
	}
	d[s.at(0)] -= p
	e[s.off(0)] = g
}

// leafRotation returns c, s and r with c·g + s·f = r and c·f − s·g = 0.
func leafRotation(g, f float64) (c, s, r float64) {
	if f == 0 {
		return 1, 0, g
	}
	if max(math.Abs(g), math.Abs(f)) < leafTiny {
		g, f = g*leafLift, f*leafLift
		r = math.Sqrt(g*g + f*f)
		return g / r, f / r, r / leafLift
	}
	r = math.Sqrt(g*g + f*f)
	return g / r, f / r, r
}

func sortLeaf(d, v []float64) {
	n := len(d)
	order := Ascending(d)
	values, vectors := make([]float64, n), make([]float64, n*n)
	for j, c := range order {
		values[j] = d[c]
		copy(vectors[j*n:(j+1)*n], v[int(c)*n:])
	}
	copy(d, values)
	copy(v, vectors)
}
