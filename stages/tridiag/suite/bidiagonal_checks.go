package suite

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// BidiagonalRatios are LAPACK's measures of the singular value decomposition C = S·Σ·Wᵀ of a
// bidiagonal matrix C, in the 1-norm.
type BidiagonalRatios struct {
	Residual    float64 // ‖C·W − S·Σ‖/(‖C‖·n·ulp)
	Left, Right float64 // ‖I − Sᵀ·S‖/(n·ulp), ‖I − Wᵀ·W‖/(n·ulp)
}

func (r BidiagonalRatios) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g (left), %.3g (right)", r.Residual, r.Left, r.Right)
}

func (r BidiagonalRatios) Below(limit float64) bool {
	return r.Residual < limit && r.Left < limit && r.Right < limit
}

// Max returns, for each of the ratios, the larger one of its values in r and x, or NaN if one of
// them is NaN.
func (r BidiagonalRatios) Max(x BidiagonalRatios) BidiagonalRatios {
	return BidiagonalRatios{maxOrNaN(r.Residual, x.Residual), maxOrNaN(r.Left, x.Left), maxOrNaN(r.Right, x.Right)}
}

// CheckBidiagonal measures m singular triplets of the n×n upper bidiagonal matrix with diagonal d
// and superdiagonal e: the values, and the vectors, which are the columns of s and w, n×m and
// column-major. All ratios are infinite if the values are not in descending order, if a value is
// negative or NaN, or if a slice has the wrong length.
func CheckBidiagonal(d, e, values, s, w []float64, m int) BidiagonalRatios {
	n := len(d)
	bad := BidiagonalRatios{math.Inf(1), math.Inf(1), math.Inf(1)}
	if len(values) != m || len(s) != n*m || len(w) != n*m {
		return bad
	}
	for j, v := range values {
		if !(v >= 0) || j > 0 && v > values[j-1] {
			return bad
		}
	}
	if n == 0 || m == 0 {
		return BidiagonalRatios{}
	}
	scale := Scale(d, e)
	norm, worst := 0.0, 0.0
	for j := range n {
		column := math.Abs(d[j] / scale)
		if j > 0 {
			column += math.Abs(e[j-1] / scale)
		}
		norm = max(norm, column)
	}
	for j := range m {
		sum := 0.0
		for i := range n {
			r := d[i]/scale*w[i+j*n] - values[j]/scale*s[i+j*n]
			if i+1 < n {
				r += e[i] / scale * w[i+1+j*n]
			}
			sum += math.Abs(r)
		}
		worst = maxOrNaN(worst, sum)
	}
	if worst != 0 {
		worst /= norm * float64(n) * tridiag.Ulp
	}
	return BidiagonalRatios{worst, orthogonality(n, m, s), orthogonality(n, m, w)}
}

func orthogonality(n, m int, x []float64) float64 {
	g := blas64.General{Rows: m, Cols: m, Stride: m, Data: make([]float64, m*m)}
	a := blas64.General{Rows: m, Cols: n, Stride: n, Data: x}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, g)
	worst := 0.0
	for j := range m {
		g.Data[j*m+j]--
		worst = maxOrNaN(worst, blas64.Asum(blas64.Vector{N: m, Inc: 1, Data: g.Data[j*m:]}))
	}
	return worst / (float64(n) * tridiag.Ulp)
}
