package matgen

import (
	"fmt"
	"math"
	"math/rand/v2"
)

var (
	zero = diagonals("zero", constant(0), constant(0), func(n int) []float64 { return make([]float64, n) })

	identity = diagonals("identity", constant(1), constant(0), func(n int) []float64 {
		return vector(n, func(int) float64 { return 1 })
	})

	// goe is the Gaussian orthogonal ensemble: symmetric matrices with normally distributed
	// entries, the typical dense matrices.
	goe = DenseKind{"goe", func(n int, r *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 {
			if i == j {
				return math.Sqrt2 * r.NormFloat64()
			}
			return r.NormFloat64()
		})
	}, nil}

	// diagonallyDominant has ±n on the diagonal, with random signs, and entries in (−1, 1)
	// elsewhere.
	diagonallyDominant = DenseKind{"diagonally-dominant", func(n int, r *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 {
			if i == j {
				return float64(n) * float64(1-2*r.IntN(2))
			}
			return 2*r.Float64() - 1
		})
	}, nil}

	// rankOne is x·xᵀ with x = (1, 2 … n). In a band reduction every panel after the first is zero
	// except for rounding errors.
	rankOne = entries("rank-one",
		func(_, i, j int) float64 { return float64((i + 1) * (j + 1)) },
		func(n int) []float64 {
			return lastOnly(n, float64(n*(n+1)*(2*n+1)/6))
		})

	allOnes = entries("all-ones", func(_, _, _ int) float64 { return 1 },
		func(n int) []float64 { return lastOnly(n, float64(n)) })

	// pairs has off-diagonal elements only between i and i + n/2. The eigenvalues are exactly 1 and
	// 3, each n/2 times, and 2 if n is odd.
	pairs = entries("pairs", func(n, i, j int) float64 {
		switch {
		case i == j:
			return 2
		case i == j+n/2 && i < n/2*2:
			return 1
		}
		return 0
	}, func(n int) []float64 {
		return vector(n, func(k int) float64 {
			if k == n/2*2 { // the last row of an odd order has no partner
				return 2
			}
			return float64(1 + 2*(k%2))
		})
	})

	// exchange has ones on the antidiagonal. Its eigenvalues are ±1, and many panels of a band
	// reduction are zero.
	exchange = entries("exchange", func(n, i, j int) float64 {
		if i+j == n-1 {
			return 1
		}
		return 0
	}, func(n int) []float64 {
		return vector(n, func(k int) float64 { return float64(1 - 2*(k%2)) })
	})

	// cycleGraph is the Laplacian of a cycle. Its eigenvalues are 2 − 2cos(2πk/n), and nearly all
	// of them are double.
	cycleGraph = DenseKind{"cycle-graph", func(n int, _ *rand.Rand) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			next := (i + 1) % n
			a[i+i*n] += 2
			a[i+next*n]--
			a[next+i*n]--
		}
		return a
	}, drawless(func(n int) []float64 {
		return vector(n, func(k int) float64 { return 2 - 2*cosine(2*k, n) })
	})}

	// star has ones in the first row and column, and zeros elsewhere. Its eigenvalues are ±√(n−1)
	// and n−2 zeros.
	star = entries("star", func(_, i, j int) float64 {
		if j == 0 && i > 0 {
			return 1
		}
		return 0
	}, func(n int) []float64 {
		values := make([]float64, n)
		if n > 1 {
			values[0], values[n-1] = -math.Sqrt(float64(n-1)), math.Sqrt(float64(n-1))
		}
		return values
	})

	// arrowhead has 0, 1, 2 … on its diagonal, and ones in its first row and column.
	arrowhead = entries("arrowhead", func(_, i, j int) float64 {
		switch {
		case i == j:
			return float64(i)
		case j == 0:
			return 1
		}
		return 0
	}, nil)

	// hilbert has the entries 1/(i+j+1). Its smallest eigenvalues are far below ulp times the
	// largest one.
	hilbert = entries("hilbert", func(_, i, j int) float64 { return 1 / float64(i+j+1) }, nil)

	// minIJ has the entries min(i, j) + 1. It is the inverse of a second-difference matrix, and its
	// eigenvalues are 1/(4·sin²((2k−1)π/(4n+2))), k = 1 … n.
	minIJ = entries("min-ij", func(_, i, j int) float64 { return float64(min(i, j) + 1) },
		func(n int) []float64 {
			return vector(n, func(k int) float64 {
				s := math.Sin(float64(2*k+1) * math.Pi / float64(4*n+2))
				return 1 / (4 * s * s)
			})
		})
)

// Band has normally distributed entries within the half-bandwidth `width`, and zeros outside the
// band.
func Band(width int) DenseKind {
	return DenseKind{fmt.Sprintf("band(%d)", width), func(n int, r *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 {
			if i-j > width {
				return 0
			}
			return r.NormFloat64()
		})
	}, nil}
}

// Graded is D·G·D with a symmetric matrix G of normally distributed entries. The elements of the
// diagonal matrix D span the given number of decades. If `decades` is negative, the entries grow
// towards the last row.
func Graded(decades float64) DenseKind {
	return DenseKind{fmt.Sprintf("graded(%g)", decades), func(n int, r *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 {
			return r.NormFloat64() * math.Pow(10, -decades*float64(i+j)/float64(max(1, n-1)))
		})
	}, nil}
}

func lastOnly(n int, value float64) []float64 {
	values := make([]float64, n)
	if n > 0 {
		values[n-1] = value
	}
	return values
}

// kacMurdockSzego has the elements ρ^|i−j| with ρ = ½. It is a dense Toeplitz matrix whose inverse
// is tridiagonal. Its eigenvalues are (1−ρ²)/(1 − 2ρ·cosθ + ρ²) at the n zeros θ in (0, π) of g(θ)
// = sin((n+1)θ) − 2ρ·sin(nθ) + ρ²·sin((n−1)θ).
var kacMurdockSzego = entries("kac-murdock-szego",
	func(_, i, j int) float64 { return math.Pow(kmsRho, float64(i-j)) },
	func(n int) []float64 {
		return vector(n, func(k int) float64 {
			return (1 - kmsRho*kmsRho) / (1 - 2*kmsRho*math.Cos(kmsAngle(n, k)) + kmsRho*kmsRho)
		})
	})

const kmsRho = 0.5

// kmsAngle returns the zero number k of g, the function in the comment of kacMurdockSzego. For 0 <
// ρ < 1 there is exactly one zero between kπ/(n+1) and (k+1)π/(n+1), because g has the sign (−1)^k
// at the left end and the opposite sign at the right end. For k = 0 the left end is the angle 0,
// where g is 0. There the sign of g is that of the slope n+1 − 2ρn + ρ²(n−1), which is positive.
func kmsAngle(n, k int) float64 {
	g := func(theta float64) float64 {
		s := func(m int) float64 { return math.Sin(float64(m) * theta) }
		return s(n+1) - 2*kmsRho*s(n) + kmsRho*kmsRho*s(n-1)
	}
	lo := float64(k) * math.Pi / float64(n+1)
	hi := float64(k+1) * math.Pi / float64(n+1)
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return mid
		}
		if (g(mid) > 0) == (k%2 == 0) {
			lo = mid
		} else {
			hi = mid
		}
	}
}
