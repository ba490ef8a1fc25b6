package spectrum

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	// Ulp is 2⁻⁵², the distance from 1 to the next double (LAPACK's eps·base).
	Ulp = tridiag.Ulp

	// SafeMin is 2⁻¹⁰²², the smallest double with full precision (LAPACK's safe minimum). Ratios
	// replace a norm below SafeMin by SafeMin, as LAPACK's dsyt21 does.
	SafeMin = 0x1p-1022
)

// Tridiagonal is a symmetric tridiagonal matrix T on the host: the diagonal D, and E[i] = T(i+1,
// i), one element less.
type Tridiagonal struct{ D, E []float64 }

// Norm1 is ‖T‖₁, the largest column sum of magnitudes. It is 0 for order 0, and +Inf if a sum
// overflows.
func (t Tridiagonal) Norm1() float64 {
	sums := make([]float64, len(t.D))
	for i, x := range t.D {
		sums[i] += math.Abs(x)
	}
	for i, x := range t.E {
		sums[i] += math.Abs(x)
		sums[i+1] += math.Abs(x)
	}
	return slices.Max(append(sums, 0))
}

// Problem is a tridiagonal matrix T on the device and on the host, because some methods read one
// copy and some the other.
type Problem struct {
	// D and E have n elements each, on the device. The last element of E is not used.
	D, E vk.Slice[float64]

	Host Tridiagonal
}

// Part is the selected part of the spectrum of T. The values are on the host, and the vectors are
// on the device.
type Part struct {
	// First is the index of Values[0] among all eigenvalues. The smallest one has index 0.
	First int

	// Values are the eigenvalues σ·λ[First], σ·λ[First+1] … of the tridiagonal matrix, in ascending
	// order. λ are the eigenvalues of the caller's matrix.
	Values []float64

	// Vectors has the vectors on the device: row k is the vector of Values[k]. Without wanted
	// vectors it has no meaning. If several devices solve the problem together, Vectors has only
	// those of the first device.
	Vectors stages.Matrix
}

// Scale returns σ·v in new memory, in double precision. Of a complex v it takes the real parts.
func Scale[T spirv.Scalar](v []T, sigma float64) []float64 {
	out := make([]float64, len(v))
	plan.Parts(v, func(parts []float32, each int) {
		for i := range out {
			out[i] = float64(parts[i*each]) * sigma
		}
	}, func(parts []float64, each int) {
		for i := range out {
			out[i] = parts[i*each] * sigma
		}
	})
	return out
}

// Unscale returns v/σ in new memory, for a power of two σ. Unless they overflow or underflow, the
// quotients are exact before they are rounded to the precision of T.
func Unscale[T spirv.Scalar](v []float64, sigma float64) []T {
	out := make([]T, len(v))
	plan.Parts(out, func(parts []float32, each int) {
		for i, x := range v {
			parts[i*each] = float32(x / sigma)
		}
	}, func(parts []float64, each int) {
		for i, x := range v {
			parts[i*each] = x / sigma
		}
	})
	return out
}
