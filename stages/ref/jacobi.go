package ref

import (
	"cmp"
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Jacobi returns the eigenvalues of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, in ascending order, and the matrix Z of its eigenvectors, n×n and column-major: T
// = Z·diag(values)·Zᵀ. It is Jacobi's method (1846; Golub and Van Loan, Matrix Computations, 8.5).
// Each rotation of two rows and columns makes one off-diagonal element zero. A sweep has a rotation
// for each element above the diagonal that is not negligible. Sweeps are repeated until all these
// elements are negligible, but at most 60 times.
//
// The method needs no shifts, no splitting and no orthogonalisation, so it has nothing in common
// with the other solvers of this module. e has n−1 elements or more; the elements from n−1 on are
// ignored. A sweep needs O(n³) operations, and about ten sweeps are needed. Residual and
// orthogonality are a few n·ulp.
func Jacobi(d, e []float64) (values, z []float64) {
	n := len(d)
	if n == 0 {
		return nil, nil
	}
	a := make([]float64, n*n)
	for i := range n {
		a[i+i*n] = d[i]
		if i+1 < n {
			a[i+1+i*n], a[i+(i+1)*n] = e[i], e[i]
		}
	}
	return JacobiDense(n, a)
}

// JacobiDense is Jacobi for a full symmetric matrix b, which is not changed.
func JacobiDense(n int, b []float64) (values, z []float64) {
	const mostSweeps = 60
	_, exponent := math.Frexp(tridiag.Largest(b, nil))
	a, v := make([]float64, n*n), make([]float64, n*n)
	for i, x := range b[:n*n] {
		a[i] = math.Ldexp(x, -exponent)
	}
	for i := range n {
		v[i+i*n] = 1
	}
	for sweep, rotated := 0, true; rotated && sweep < mostSweeps; sweep++ {
		rotated = false
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotated = annihilate(n, a, v, p, q) || rotated
			}
		}
	}
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a[i+i*n], a[j+j*n]) })
	for _, j := range order {
		values, z = append(values, math.Ldexp(a[j+j*n], exponent)), append(z, v[j*n:(j+1)*n]...)
	}
	return values, z
}

// annihilate rotates rows and columns p and q of the matrix a, so that a[p, q] becomes zero. It
// also rotates columns p and q of the matrix v. It returns false and changes nothing if a[p, q] is
// negligible compared to the diagonal elements, or compared to a norm of 1.
func annihilate(n int, a, v []float64, p, q int) bool {
	x, dp, dq := a[p+q*n], a[p+p*n], a[q+q*n]
	negligible := tridiag.Roundoff * max(math.Sqrt(math.Abs(dp))*math.Sqrt(math.Abs(dq)), tridiag.Roundoff)
	if math.Abs(x) <= negligible {
		return false
	}
	// t is the tangent of the rotation's angle. Of the two angles that make the element a[p, q]
	// zero, the smaller one is used.
	theta := (dq - dp) / (2 * x)
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Hypot(theta, 1))
	c := 1 / math.Hypot(t, 1)
	s := t * c
	for i := range n {
		ip, iq := a[i+p*n], a[i+q*n]
		a[i+p*n], a[i+q*n] = c*ip-s*iq, s*ip+c*iq
	}
	for i := range n {
		pi, qi := a[p+i*n], a[q+i*n]
		a[p+i*n], a[q+i*n] = c*pi-s*qi, s*pi+c*qi
	}
	a[p+p*n], a[q+q*n], a[p+q*n], a[q+p*n] = dp-t*x, dq+t*x, 0, 0
	for i := range n {
		ip, iq := v[i+p*n], v[i+q*n]
		v[i+p*n], v[i+q*n] = c*ip-s*iq, s*ip+c*iq
	}
	return true
}
