package ref

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

// threshold is the limit of every ratio in these tests. LAPACK's own tests of two-stage solvers
// allow 60.
const threshold = 10

// eachShape runs the function `test` for many orders n, half-bandwidths b and block sizes k. In
// most cases neither b nor k divides n.
func eachShape(test func(n, b, k int)) {
	for n := 0; n <= 50; n++ {
		for _, b := range []int{1, 2, 3, 4, 5, 8} {
			for _, k := range []int{b, 2 * b, 4 * b} {
				test(n, b, k)
			}
		}
	}
}

// worst keeps the largest of several ratios, and the name of the case with this ratio.
type worst struct {
	name, where string
	ratio       float64
}

// see compares a ratio with the largest ratio so far, and fails the test if the ratio is above the
// limit.
func (w *worst) see(t *testing.T, ratio float64, format string, args ...any) {
	t.Helper()
	where := fmt.Sprintf(format, args...)
	if ratio > w.ratio || math.IsNaN(ratio) {
		w.ratio, w.where = ratio, where
	}
	if !(ratio < threshold) {
		t.Errorf("%s: %s = %g", where, w.name, ratio)
	}
}

// report prints the worst ratio. If the ratio is zero, the test has measured nothing, and fails.
func (w *worst) report(t *testing.T) {
	t.Helper()
	t.Logf("%s: worst %.3g at %s", w.name, w.ratio, w.where)
	if w.ratio == 0 {
		t.Errorf("%s was never above zero", w.name)
	}
}

func gauss(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func nans(n int) []float64 { return nansOf[float64](n) }

// nansOf returns n elements whose parts are all NaN.
func nansOf[T Number](n int) []T {
	x := ofReal[T](math.NaN())
	if z, ok := any(&x).(*complex128); ok {
		*z = complex(math.NaN(), math.NaN())
	}
	return slices.Repeat([]T{x}, n)
}

// eye returns the n×n identity matrix with leading dimension ld. The padding is NaN.
func eye(n, ld int) []float64 { return eyeOf[float64](n, ld) }

func eyeOf[T Number](n, ld int) []T {
	x := nansOf[T](n * ld)
	for j := range n {
		clear(x[j*ld : j*ld+n])
		x[j+j*ld] = 1
	}
	return x
}

// lowerOnly returns the lower triangle of the full matrix a in storage of leading
// dimension ld; the upper triangle and the padding hold NaN.
func lowerOnly[T Number](n int, a []T, ld int) []T {
	x := nansOf[T](n * ld)
	for j := range n {
		copy(x[j+j*ld:], a[j+j*n:n+j*n])
	}
	return x
}

// untouched tells whether the padding after the first `rows` rows of each column is still NaN.
func untouched[T Number](rows, cols int, x []T, ld int) bool {
	for j := range cols {
		for _, v := range x[j*ld+rows : (j+1)*ld] {
			if re, _ := parts(v); !math.IsNaN(re) {
				return false
			}
		}
	}
	return true
}

// full returns the Hermitian n×n matrix whose lower triangle is at(i, j), without padding.
func full[T Number](n int, at func(i, j int) T) []T {
	a := make([]T, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			a[i+j*n] = at(i, j)
			a[j+i*n] = conj(a[i+j*n])
		}
	}
	return a
}

func gaussSymmetric(n int, seed uint64) []float64 {
	g := gauss(n*n, seed)
	return full(n, func(i, j int) float64 { return g[i+j*n] })
}

// bandToFull returns the full matrix of a compact band. The test fails if an element outside the
// band or past row n−1 is not zero.
func bandToFull[T Number](t *testing.T, n, b int, band []T) []T {
	t.Helper()
	for c := range n {
		for i := range 2 * b {
			if v := band[i+c*2*b]; (i > b || c+i >= n) && v != 0 {
				t.Fatalf("n=%d b=%d: %v outside the band, at (%d, %d)", n, b, v, c+i, c)
			}
		}
	}
	return full(n, func(i, j int) T {
		if i-j > b {
			return 0
		}
		return band[i-j+j*2*b]
	})
}

func tridiagonalToFull[T Number](d, e []T) []T {
	return full(len(d), func(i, j int) T {
		switch i - j {
		case 0:
			return d[i]
		case 1:
			return e[j]
		}
		return 0
	})
}

// similarity is ‖A − Q·B·Qᴴ‖₁ / (‖A‖₁·n·ulp). It is like Reconstruction of package ratio, but B
// need not be diagonal. All matrices are n×n without padding.
func similarity[T Number](n int, a, q, b []T) float64 {
	if n == 0 {
		return 0
	}
	qb, r := make([]T, n*n), slices.Clone(a)
	Gemm(NoTrans, NoTrans, n, n, n, 1, q, n, b, n, 0, qb, n)
	Gemm(NoTrans, Adjoint, n, n, n, -1, qb, n, q, n, 1, r, n)
	return ratio.Norm1(n, n, r, n) / ratio.Norm1(n, n, a, n) / (float64(n) * ratio.Ulp)
}
