// Package sturm, internal to vkevd, counts eigenvalues of a symmetric tridiagonal matrix T below
// given numbers, and finds eigenvalues by bisection (LAPACK dstebz), on the host. It runs in
// production, for devices without double precision.
//
// The count below x is the number of negative pivots of T − x·I = L·D·Lᵀ, by Sylvester's law of
// inertia:
//
//	q₀ = d₀ − x,   qᵢ = dᵢ − x − eᵢ₋₁²/qᵢ₋₁
//
// The counts are exact for a matrix whose entries differ from those of T by a few ulp.
package sturm

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Matrix is a tridiagonal matrix, prepared for counts. It is scaled by a power of two, so that its
// largest entry is in [½, 1).
type Matrix struct {
	d, squares []float64 // diagonal; squares[i] is the square of the element between i−1 and i
	exponent   int       // T is 2^exponent times the scaled matrix
	norm       float64   // bound of the 1-norm of the scaled matrix
}

// atOnce is the number of shifts whose pivots are computed in one loop over T. Each pivot needs a
// division by the previous one. During the division the processor computes pivots of other shifts.
const atOnce = 4

// New prepares the matrix with the diagonal d and the off-diagonal e, whose elements must be
// finite. It copies both.
func New(d, e []float64) *Matrix {
	d, e = slices.Clone(d), slices.Clone(e[:max(0, len(d)-1)])
	m := &Matrix{d: d, squares: make([]float64, len(d)), exponent: tridiag.Scale(d, e)}
	for i, x := range e {
		m.squares[i+1] = x * x
	}
	const entries = 3 // entries of a column
	m.norm = entries * tridiag.Largest(d, e)
	return m
}

// Counts returns, for each x, the number of eigenvalues below x. An x may be infinite. For a NaN
// the result has no meaning. The function `stop` is that of tridiag.ParallelUntil, and the error is
// its error.
func (m *Matrix) Counts(x []float64, stop func() error) ([]int, error) {
	counts := make([]int, len(x))
	groups := (len(x) + atOnce - 1) / atOnce
	err := tridiag.ParallelUntil(groups, func(g int) {
		from := g * atOnce
		some := x[from:min(from+atOnce, len(x))]
		var shifts [atOnce]float64
		for i, v := range some {
			shifts[i] = math.Ldexp(v, -m.exponent)
		}
		found := m.below(&shifts)
		for i, v := range some {
			switch counts[from+i] = found[i]; {
			case math.IsInf(v, 1):
				counts[from+i] = len(m.d)
			case math.IsInf(v, -1):
				counts[from+i] = 0
			}
		}
	}, stop)
	return counts, err
}

// `below` counts the negative pivots of the scaled matrix for each of some shifts. A pivot whose
// magnitude is below the smallest normal number counts as negative. The squares of off-diagonal
// elements are below 1, so no quotient overflows.
func (m *Matrix) below(x *[atOnce]float64) (counts [atOnce]int) {
	q := [atOnce]float64{1, 1, 1, 1}
	for i, d := range m.d {
		square := m.squares[i]
		for k := range q {
			p := (d - x[k]) - square/q[k]
			if math.Abs(p) < tridiag.Pivmin {
				p = -tridiag.Pivmin
			}
			if p < 0 {
				counts[k]++
			}
			q[k] = p
		}
	}
	return counts
}

// Eigenvalues returns the eigenvalues with the indices from, …, to−1, in ascending order. Their
// errors are at most some ulp of ‖T‖. `stop` and the error are those of Counts.
func (m *Matrix) Eigenvalues(from, to int, stop func() error) ([]float64, error) {
	values := make([]float64, to-from)
	groups := (len(values) + atOnce - 1) / atOnce
	err := tridiag.ParallelUntil(groups, func(g int) {
		first := g * atOnce
		some := values[first:min(first+atOnce, len(values))]
		found := m.bisect(from+first, len(some))
		for i := range some {
			some[i] = math.Ldexp(found[i], m.exponent)
		}
	}, stop)
	slices.Sort(values) // rounding errors of counts may exchange values that are equal up to an ulp
	return values, err
}

// bisect returns the eigenvalues with the indices k … k+count−1 of the scaled matrix.
func (m *Matrix) bisect(k, count int) (values [atOnce]float64) {
	var lo, hi, mid [atOnce]float64
	for i := range lo {
		lo[i], hi[i] = -m.norm, m.norm
	}
	for width := 2 * m.norm; width > tridiag.Roundoff*m.norm; width /= 2 {
		for i := range mid {
			mid[i] = lo[i] + (hi[i]-lo[i])/2
		}
		counts := m.below(&mid)
		for i := range count {
			if counts[i] > k+i {
				hi[i] = mid[i]
			} else {
				lo[i] = mid[i]
			}
		}
	}
	for i := range values {
		values[i] = lo[i] + (hi[i]-lo[i])/2
	}
	return values
}
