package ref

import (
	"math"
	"math/cmplx"
)

// Number is the type of a matrix's elements. A function with this parameter computes for real and
// for complex matrices by the same statements. For real numbers conj changes nothing, so that Xᴴ is
// Xᵀ and "Hermitian" means symmetric.
type Number interface{ float64 | complex128 }

func conj[T Number](x T) T {
	if z, ok := any(&x).(*complex128); ok {
		*z = cmplx.Conj(*z)
	}
	return x
}

func parts[T Number](x T) (re, im float64) {
	switch x := any(&x).(type) {
	case *float64:
		return *x, 0
	case *complex128:
		return real(*x), imag(*x)
	}
	panic("ref: not a Number")
}

func realPart[T Number](x T) float64 {
	re, _ := parts(x)
	return re
}

func ofReal[T Number](x float64) (y T) {
	switch y := any(&y).(type) {
	case *float64:
		*y = x
	case *complex128:
		*y = complex(x, 0)
	}
	return y
}

// times returns r·x. Neither part of the result depends on the other part of x, which may be NaN.
func times[T Number](r float64, x T) T {
	switch x := any(&x).(type) {
	case *float64:
		*x *= r
	case *complex128:
		*x = complex(r*real(*x), r*imag(*x))
	}
	return x
}

func abs2[T Number](x T) float64 {
	re, im := parts(x)
	return re*re + im*im
}

func largestPart[T Number](x T) float64 {
	re, im := parts(x)
	return max(math.Abs(re), math.Abs(im))
}

// polar returns the modulus of x and the phase x/|x|, which is ±1 for a real x, and 1 for 0.
func polar[T Number](x T) (modulus float64, phase T) {
	scale := largestPart(x)
	if scale == 0 {
		return 0, 1
	}
	x /= ofReal[T](scale)
	modulus = math.Sqrt(abs2(x))
	return modulus * scale, x / ofReal[T](modulus)
}

// fromLower returns element (i, j) of a Hermitian matrix whose lower triangle is stored in `a`. The
// imaginary parts of the stored diagonal are ignored, and may be NaN.
func fromLower[T Number](a []T, lda, i, j int) T {
	switch {
	case i > j:
		return a[i+j*lda]
	case i < j:
		return conj(a[j+i*lda])
	}
	return ofReal[T](realPart(a[i+i*lda]))
}
