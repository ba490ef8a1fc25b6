package stagetest

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/vk/spirv"
)

// Rounded returns complex numbers as numbers of type T. For a real T it takes the real parts.
func Rounded[T spirv.Scalar](x []complex128) []T {
	y := make([]T, len(x))
	for i, z := range x {
		switch y := any(&y[i]).(type) {
		case *float64:
			*y = real(z)
		case *float32:
			*y = float32(real(z))
		case *complex128:
			*y = z
		case *complex64:
			*y = complex64(z)
		}
	}
	return y
}

// Exactly returns numbers of type T as complex numbers.
func Exactly[T spirv.Scalar](x []T) []complex128 {
	y := make([]complex128, len(x))
	for i := range x {
		switch x := any(&x[i]).(type) {
		case *float64:
			y[i] = complex(*x, 0)
		case *float32:
			y[i] = complex(float64(*x), 0)
		case *complex128:
			y[i] = *x
		case *complex64:
			y[i] = complex128(*x)
		}
	}
	return y
}

// UlpOf is the distance from 1 to the next larger T.
func UlpOf[T spirv.Scalar]() float64 {
	if k := spirv.KindOf[T](); k == spirv.Float32 || k == spirv.Complex64 {
		return 0x1p-23
	}
	return 0x1p-52
}

// Triangle returns the lower or the upper triangle of the n×n matrix `full`, which is column-major,
// as numbers of T with leading dimension ld. All numbers that must not be read are NaN: those of the
// other triangle, the padding, and the imaginary parts of the diagonal.
func Triangle[T spirv.Scalar](n, ld int, full []complex128, upper, rowMajor bool) []T {
	data := slices.Repeat([]T{NaN[T]()}, ld*n)
	for j := range n {
		for i := range n {
			z, at := full[i+j*n], i+j*ld
			if rowMajor {
				at = i*ld + j
			}
			if i == j {
				z = complex(real(z), math.NaN())
			}
			if i == j || upper == (i < j) {
				data[at] = Rounded[T]([]complex128{z})[0]
			}
		}
	}
	return data
}
