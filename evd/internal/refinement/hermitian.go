package refinement

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
)

// mostSweeps is the largest number of sweeps of Jacobi's method. Matrices of order 64 take about 8.
const mostSweeps = 30

// hermitian does the same as ritzOnHost for complex numbers, by Jacobi's method. Each rotation
// makes one element a zero:
//
//	x_p ← c·x_p − s·e^(−iφ)·x_q,   x_q ← s·x_p + c·e^(−iφ)·x_q
//
// φ is the phase of a_pq. The columns of A and of the vectors are rotated so, and then the rows of
// A by the conjugate numbers.
//
// A is the block minus μ·I, where μ is the mean of its diagonal. A block of nearly equal values is
// almost μ·I, and rotations of it would have rounding errors as large as its other elements.
func hermitian(m, ld int, block []complex128, values []float64) error {
	a, v := make([]complex128, m*m), make([]complex128, m*m)
	mean, largest := 0.0, 0.0
	for j := range m {
		mean += real(block[j+j*ld]) / float64(m)
	}
	for j := range m {
		v[j+j*m] = 1
		for i := range m {
			a[i+j*m] = block[i+j*ld]
			largest = max(largest, cmplx.Abs(a[i+j*m]))
		}
		a[j+j*m] = complex(real(a[j+j*m])-mean, 0)
	}
	negligible := spectrum.Ulp / 4 * largest
	for sweep := 0; ; sweep++ {
		rotated := false
		for q := 1; q < m; q++ {
			for p := range q {
				size, phase := cmplx.Polar(a[p+q*m])
				if size <= negligible {
					continue
				}
				rotated = true
				tau := (real(a[q+q*m]) - real(a[p+p*m])) / (2 * size)
				t := math.Copysign(1, tau) / (math.Abs(tau) + math.Hypot(1, tau))
				c := 1 / math.Hypot(1, t)
				cos, sin, turn := complex(c, 0), complex(c*t, 0), cmplx.Rect(1, -phase)
				for i := range m {
					rotate(a, i+p*m, i+q*m, cos, sin, turn)
					rotate(v, i+p*m, i+q*m, cos, sin, turn)
				}
				for j := range m {
					rotate(a, p+j*m, q+j*m, cos, sin, cmplx.Conj(turn))
				}
				a[p+q*m], a[q+p*m] = 0, 0
				a[p+p*m], a[q+q*m] = complex(real(a[p+p*m]), 0), complex(real(a[q+q*m]), 0)
			}
		}
		if !rotated {
			break
		}
		if sweep == mostSweeps {
			return &plan.NoConvergenceError{Stage: stages.PhaseRitz, End: m}
		}
	}
	order := make([]int, m)
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(real(a[i+i*m]), real(a[j+j*m])) })
	for j, from := range order {
		values[j] = mean + real(a[from+from*m])
		copy(block[j*ld:j*ld+m], v[from*m:])
	}
	return nil
}

// rotate rotates the elements p and q of x.
func rotate(x []complex128, p, q int, cos, sin, turn complex128) {
	y, z := x[p], turn*x[q]
	x[p], x[q] = cos*y-sin*z, sin*y+cos*z
}
