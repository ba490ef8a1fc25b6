// Package ql, internal to vkevd, finds eigenvalues and eigenvectors of tridiagonal matrices by
// implicit QL and QR iteration (LAPACK dsteqr, dsterf), on the host and on one processor. It runs
// in production, for small orders.
package ql

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Solve returns the eigenvalues of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, in ascending order. If `vectors` is true, it also returns the eigenvectors:
// component i of vector j is z[i·n+j]. The method is implicit QL and QR iteration (dsteqr; without
// vectors dsterf). A power of two scales T to a norm of about 1, and gonum solves the scaled
// matrix. d has n elements. e has n−1 elements or more, of which only n−1 are read. d and e are not
// written. The error is a *tridiag.NonFiniteError or a *tridiag.NoConvergenceError.
//
// The work is O(n²) without vectors, when z is nil, and O(n³) with vectors. `values` and z are
// newly allocated.
func Solve(d, e []float64, vectors bool) (values, z []float64, err error) {
	n := len(d)
	if n == 0 {
		return nil, nil, nil
	}
	if err := tridiag.CheckFinite(d, e); err != nil {
		return nil, nil, err
	}
	values, off := slices.Clone(d), slices.Clone(e[:n-1])
	top := 0.0
	for _, x := range slices.Concat(values, off) {
		top = max(top, math.Abs(x))
	}
	_, exponent := math.Frexp(top)
	for i := range values {
		values[i] = math.Ldexp(values[i], -exponent)
	}
	for i := range off {
		off[i] = math.Ldexp(off[i], -exponent)
		if math.Abs(off[i]) < tridiag.Tiny {
			off[i] = 0 // gonum forms its reciprocal, which would overflow
		}
	}
	var ok bool
	if vectors {
		z = make([]float64, n*n)
		ok = lapackgonum.Implementation{}.Dsteqr(lapack.EVTridiag, n, values, off, z, n, make([]float64, max(1, 2*n-2)))
	} else {
		ok = lapackgonum.Implementation{}.Dsterf(n, values, off)
	}
	if !ok {
		return nil, nil, &tridiag.NoConvergenceError{Lo: 0, Hi: n}
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], exponent)
	}
	return values, z, nil
}
