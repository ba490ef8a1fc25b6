package suite

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// Limit is the limit of all ratios and distances of this package. The limits of LAPACK's own tests
// are 30 to 60.
const Limit = 10

// Scale returns a power of two near the largest magnitude of an element of the tridiagonal matrix
// with diagonal d and off-diagonal e, or 1 for the zero matrix.
func Scale(d, e []float64) float64 {
	norm := 0.0
	for i := range d {
		norm = max(norm, math.Abs(d[i]))
		if i+1 < len(d) {
			norm = max(norm, math.Abs(e[i]))
		}
	}
	if norm == 0 {
		return 1
	}
	_, exp := math.Frexp(norm)
	return math.Ldexp(1, max(exp, -1021))
}

// Ratios returns two error measures of eigenvalues Λ and eigenvectors Z of a tridiagonal matrix T:
// the residual ‖T·Z − Z·Λ‖/(‖T‖·n·ulp) and the orthogonality ‖I − Zᵀ·Z‖/(n·ulp), in the 1-norm.
func Ratios(d, e, values, z []float64) (residual, orthogonality float64) {
	n := len(d)
	if n == 0 {
		return 0, 0
	}
	scale := Scale(d, e)
	at := func(v []float64, i int) float64 {
		if i < 0 || i >= len(v) {
			return 0
		}
		return v[i] / scale
	}
	norm, worst := 0.0, 0.0
	for j := range n {
		eAbove, eBelow := 0.0, 0.0
		if j > 0 {
			eAbove = at(e, j-1)
		}
		if j < n-1 {
			eBelow = at(e, j)
		}
		norm = max(norm, math.Abs(eAbove)+math.Abs(at(d, j))+math.Abs(eBelow))
		col, sum := z[j*n:(j+1)*n], 0.0
		for i := range n {
			r := (at(d, i) - values[j]/scale) * col[i]
			if i > 0 {
				r += at(e, i-1) * col[i-1]
			}
			if i < n-1 {
				r += at(e, i) * col[i+1]
			}
			sum += math.Abs(r)
		}
		worst = maxOrNaN(worst, sum)
	}
	if worst != 0 {
		residual = worst / (norm * float64(n) * tridiag.Ulp)
	}

	g := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: z}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, g)
	worst = 0
	for j := range n {
		g.Data[j*n+j]--
		worst = maxOrNaN(worst, blas64.Asum(blas64.Vector{N: n, Inc: 1, Data: g.Data[j*n:]}))
	}
	return residual, worst / (float64(n) * tridiag.Ulp)
}

func maxOrNaN(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return max(a, b)
}

// Distance returns the largest |a − b| of two lists of eigenvalues, in units of n·ulp·‖T‖, or +Inf
// if the lists have different lengths.
func Distance(d, e, a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	scale, worst := Scale(d, e), 0.0
	for i := range a {
		worst = maxOrNaN(worst, math.Abs(a[i]/scale-b[i]/scale))
	}
	return worst / (float64(max(len(a), 1)) * tridiag.Ulp)
}

// countBelow returns the number of eigenvalues below x (a Sturm count). It is exact for a matrix
// whose elements differ from those of T by a few ulp.
func countBelow(d, e []float64, x float64) int {
	scale := Scale(d, e)
	count, q := 0, 1.0
	for i := range d {
		off := 0.0
		if i > 0 {
			off = e[i-1] / scale
		}
		q = (d[i]/scale - x/scale) - off*off/q
		if math.Abs(q) < 1e-290 {
			q = -1e-290
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// Sturm returns a bound for the errors of all values, in units of n·ulp·‖T‖. It widens the interval
// around each value until counts prove that the interval contains the eigenvalue. The bound is a
// power of two up to 64, or +Inf.
func Sturm(d, e, values []float64) float64 {
	unit := float64(len(d)) * tridiag.Ulp * Scale(d, e)
	for c := 1.0; c <= 64; c *= 2 {
		ok := true
		for k, v := range values {
			if countBelow(d, e, v-c*unit) > k || countBelow(d, e, v+c*unit) <= k {
				ok = false
				break
			}
		}
		if ok {
			return c
		}
	}
	return math.Inf(1)
}

// QL returns the eigenvalues of the tridiagonal matrix with diagonal d and off-diagonal e, by
// gonum's QL iteration. It returns nil if gonum's iteration overflows, which happens for elements
// that span hundreds of orders of magnitude.
func QL(t *testing.T, d, e []float64) []float64 {
	t.Helper()
	n := len(d)
	scale := Scale(d, e)
	v, off := make([]float64, n), make([]float64, max(n-1, 0))
	for i := range v {
		v[i] = d[i] / scale
	}
	for i := range off {
		off[i] = e[i] / scale
	}
	if !(lapackgonum.Implementation{}).Dsteqr(lapack.EVCompNone, n, v, off, nil, 1, nil) {
		t.Fatal("the oracle failed")
	}
	for i := range v {
		v[i] *= scale
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil
		}
	}
	return v
}

// Angle compares vectors of T with the vectors of another solver. The columns of z are vectors
// number `first`, `first`+1 …, and `want` has all vectors. `values` holds all eigenvalues. For each
// vector, Angle multiplies the sine of the angle between the two results by the distance of the
// eigenvalue to its neighbours. It returns the largest product in units of n·ulp·‖T‖. The product
// is about 1 if the two results are as good as rounding errors allow (Davis and Kahan 1970).
// Multiple eigenvalues are left out, because they do not determine a vector.
func Angle(d, e, values []float64, first int, z, want []float64) float64 {
	n, scale, worst := len(d), Scale(d, e), 0.0
	for j := range len(z) / max(n, 1) {
		gap, k := math.Inf(1), first+j
		if k > 0 {
			gap = min(gap, values[k]/scale-values[k-1]/scale)
		}
		if k+1 < n {
			gap = min(gap, values[k+1]/scale-values[k]/scale)
		}
		if n == 1 {
			gap = 1
		}
		x, y := z[j*n:(j+1)*n], want[k*n:(k+1)*n]
		dot, sum := 0.0, 0.0
		for i := range x {
			dot += x[i] * y[i]
		}
		for i := range x {
			r := x[i] - dot*y[i]
			sum += r * r
		}
		worst = maxOrNaN(worst, math.Sqrt(sum)*gap/(float64(n)*tridiag.Ulp))
	}
	return worst
}
