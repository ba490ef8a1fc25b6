package spectrum

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	// Ulp is LAPACK's eps·base, 2⁻⁵²: the distance from 1 to the next double.
	Ulp = tridiag.Ulp

	// SafeMin is LAPACK's safe minimum, 2⁻¹⁰²². Smaller numbers have fewer digits. As in dsyt21, a
	// smaller norm is replaced by SafeMin.
	SafeMin = 0x1p-1022
)

// Tridiagonal is a symmetric tridiagonal matrix T on the host: D is its diagonal, E[i] = T(i+1, i).
// E has one element less than D.
type Tridiagonal struct{ D, E []float64 }

// Norm1 is ‖T‖₁, the largest column sum of magnitudes; 0 for order 0. It may overflow to +Inf.
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

// Problem holds T twice, on the device and on the host, because some eigenvalue algorithms start
// from one copy and some from the other.
type Problem struct {
	// D and E have n elements each on the device; the last one of E is not used.
	D, E vk.Slice[float64]

	// Host is the same matrix on the host.
	Host Tridiagonal
}

// Part is the selected part of the spectrum of T, on the host, with its vectors on the device.
type Part struct {
	// First is the index of Values[0] among all eigenvalues.
	First int

	// Values are σ·λ[First], σ·λ[First+1] …, ascending.
	Values []float64

	// Vectors is Sᵀ: row k belongs to Values[k]. If no vectors are wanted, its contents have no
	// meaning.
	Vectors stages.Matrix
}

// Scale returns σ·v in new memory, in double precision.
func Scale[T spirv.Real](v []T, sigma float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x) * sigma
	}
	return out
}

// Unscale returns v/σ in new memory, for a power of two σ. The quotients are exact, unless they
// underflow.
func Unscale[T spirv.Real](v []float64, sigma float64) []T {
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x / sigma)
	}
	return out
}
