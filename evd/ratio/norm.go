package ratio

import (
	"math"
	"math/cmplx"
)

// Number is the type of a matrix's elements: real, or complex. For real matrices Zᴴ is Zᵀ, and
// "Hermitian" means symmetric.
type Number interface{ float64 | complex128 }

// Norm1 returns ‖X‖₁ of the rows×cols matrix x: the largest sum of magnitudes in a column. It is
// NaN if x contains a NaN.
func Norm1[T Number](rows, cols int, x []T, ldx int) float64 {
	var norm float64
	for j := range cols {
		var sum float64
		switch column := any(x[j*ldx : j*ldx+rows]).(type) {
		case []float64:
			for _, v := range column {
				sum += math.Abs(v)
			}
		case []complex128:
			for _, v := range column {
				sum += cmplx.Abs(v)
			}
		}
		norm = max(norm, sum) // the builtin keeps NaN
	}
	return norm
}

// NormTridiagonal returns ‖T‖₁ of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, len(e) ≥ len(d)−1.
func NormTridiagonal(d, e []float64) float64 {
	var norm float64
	for i := range d {
		sum := math.Abs(d[i])
		if i > 0 {
			sum += math.Abs(e[i-1])
		}
		if i < len(d)-1 {
			sum += math.Abs(e[i])
		}
		norm = max(norm, sum)
	}
	return norm
}

// maxAbs returns the largest magnitude of a real or imaginary part in x. It is NaN if x contains a
// NaN.
func maxAbs[T Number](rows, cols int, x []T, ldx int) float64 {
	var top float64
	for j := range cols {
		switch column := any(x[j*ldx : j*ldx+rows]).(type) {
		case []float64:
			for _, v := range column {
				top = max(top, math.Abs(v))
			}
		case []complex128:
			for _, v := range column {
				top = max(top, math.Abs(real(v)), math.Abs(imag(v)))
			}
		}
	}
	return top
}

// finite reports whether all elements of x are finite. Each input of a measure needs this test: a
// product may skip a NaN that is multiplied by zero.
func finite[T Number](rows, cols int, x []T, ldx int) bool {
	top := maxAbs(rows, cols, x, ldx)
	return !math.IsNaN(top) && !math.IsInf(top, 0)
}

// shiftToOne returns the exponent of the power of two that scales `top` into [½, 1).
func shiftToOne(top float64) int {
	_, exponent := math.Frexp(top) // 0 for zero
	return -exponent
}

// scaled returns 2^shift·X, without gaps between its columns.
func scaled[T Number](rows, cols int, x []T, ldx, shift int) []T {
	y := packed(rows, cols, x, ldx)
	switch y := any(y).(type) {
	case []float64:
		for i, v := range y {
			y[i] = math.Ldexp(v, shift)
		}
	case []complex128:
		for i, v := range y {
			y[i] = complex(math.Ldexp(real(v), shift), math.Ldexp(imag(v), shift))
		}
	}
	return y
}

// packed returns a copy of X without gaps between its columns.
func packed[T Number](rows, cols int, x []T, ldx int) []T {
	y := make([]T, 0, rows*cols)
	for j := range cols {
		y = append(y, x[j*ldx:j*ldx+rows]...)
	}
	return y
}

// perNorm returns err/(norm·n·ulp), where `err` and `norm` are both scaled by 2^shift. For an
// infinite norm it is +Inf, because the quotient would be 0 for any error.
func perNorm(err, norm float64, n, shift int) float64 {
	if math.IsInf(norm, 0) {
		return norm
	}
	norm = max(norm, math.Ldexp(SafeMin, shift))
	return verdict(err / norm / (float64(n) * Ulp))
}
