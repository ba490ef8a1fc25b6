package spectrum

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// ResidualSums returns the column sums of |T·Z − Z·Λ|. The columns of z are the vectors, and
// `values` are their eigenvalues.
func (t Tridiagonal) ResidualSums(values, z []float64) []float64 {
	n := len(t.D)
	sums := make([]float64, len(values))
	tridiag.Parallel(len(values), func(j int) {
		x := z[j*n : (j+1)*n]
		for i := range x {
			r := (t.D[i] - values[j]) * x[i]
			if i > 0 {
				r += t.E[i-1] * x[i-1]
			}
			if i < n-1 {
				r += t.E[i] * x[i+1]
			}
			sums[j] += math.Abs(r)
		}
	})
	return sums
}

// OrthogonalitySums returns the column sums of |ZᵀZ − I| for the n×m matrix z, packed and
// column-major. The error is that of ctx.
func OrthogonalitySums(ctx context.Context, n, m int, z []float64) ([]float64, error) {
	const strip = 64 // columns of ZᵀZ that are in memory at the same time
	sums := make([]float64, m)
	all := blas64.General{Rows: m, Cols: n, Stride: n, Data: z} // Zᵀ, in gonum's row-major order
	product := make([]float64, strip*m)
	for j0 := 0; j0 < m; j0 += strip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cols := min(strip, m-j0)
		some := blas64.General{Rows: cols, Cols: n, Stride: n, Data: z[j0*n:]}
		out := blas64.General{Rows: cols, Cols: m, Stride: m, Data: product}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, some, all, 0, out)
		for j := range cols {
			row := product[j*m : (j+1)*m]
			row[j0+j]--
			for _, x := range row {
				sums[j0+j] += math.Abs(x)
			}
		}
	}
	return sums, nil
}
