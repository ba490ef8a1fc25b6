package stagetest

import (
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

type Complex interface{ complex64 | complex128 }

// EachComplex runs the test of a kernel for complex128 and, except in quick tests, for complex64.
func EachComplex(t *testing.T, double, single func(t *testing.T)) {
	t.Run("complex128", double)
	t.Run("complex64", func(t *testing.T) {
		when.Skip(t, when.Quick, "the same kernels with other numbers")
		single(t)
	})
}

// EpsilonOf returns the distance from 1 to the next larger real part of a T.
func EpsilonOf[T Complex]() float64 {
	if _, single := any(*new(T)).(complex64); single {
		return 0x1p-23
	}
	return 0x1p-52
}

// RandomComplex returns a number with normally distributed parts, which complex64 holds exactly.
func RandomComplex(r *rand.Rand) complex128 {
	return complex(float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())))
}

// ComplexOf converts complex numbers to another precision.
func ComplexOf[T, S Complex](x []S) []T {
	y := make([]T, len(x))
	for i, z := range x {
		y[i] = T(z)
	}
	return y
}
