package ratio

import "math"

// TridiagonalResidual returns ‖T·Z − Z·Λ‖₁ / (‖T‖₁·n·ulp). T is the symmetric tridiagonal matrix
// with diagonal d[n] and off-diagonal e[n−1]. Z is an n×m matrix with m = len(values) vectors.
// LAPACK's dstt21 and dstt22 measure the same error as ‖T − Z·Λ·Zᵀ‖ and ‖Zᵀ·T·Z − Λ‖.
func TridiagonalResidual(d, e, values, z []float64, ldz int) float64 {
	n, m := len(d), len(values)
	if n == 0 || m == 0 {
		return 0
	}
	if !finite(n, 1, d, n) || !finite(n-1, 1, e, n-1) || !finite(m, 1, values, m) || !finite(n, m, z, ldz) {
		return math.Inf(1)
	}
	d, e, shift := tridiagonalToOne(d, e)
	values = scaled(m, 1, values, m, shift)

	var norm float64
	for j, lambda := range values {
		zj := z[j*ldz : j*ldz+n]
		var sum float64
		for i := range zj {
			r := (d[i] - lambda) * zj[i]
			if i > 0 {
				r += e[i-1] * zj[i-1]
			}
			if i < n-1 {
				r += e[i] * zj[i+1]
			}
			sum += math.Abs(r)
		}
		norm = max(norm, sum)
	}
	return perNorm(norm, NormTridiagonal(d, e), n, shift)
}

// tridiagonalToOne returns 2^shift·T with its largest entry in [½, 1).
func tridiagonalToOne(d, e []float64) (ds, es []float64, shift int) {
	n := len(d)
	shift = shiftToOne(max(maxAbs(n, 1, d, n), maxAbs(n-1, 1, e, n-1)))
	return scaled(n, 1, d, n, shift), scaled(n-1, 1, e, n-1, shift), shift
}
