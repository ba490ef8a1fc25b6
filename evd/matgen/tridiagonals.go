package matgen

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Toeplitz has the element `diag` on the diagonal, and the element `off` next to the diagonal. Its
// eigenvalues are diag + 2·off·cos(kπ/(n+1)), k = 1 … n. Toeplitz(2, −1) is the 1-2-1 matrix.
func Toeplitz(diag, off float64) TridiagonalKind {
	return diagonals(fmt.Sprintf("toeplitz(%g,%g)", diag, off), constant(diag), constant(off), func(n int) []float64 {
		return vector(n, func(k int) float64 { return diag + 2*off*cosine(k+1, n+1) })
	})
}

// clement is Kac's matrix in symmetric form. Its diagonal is zero, and e² = i(n−i) for i = 1 … n−1.
// Its eigenvalues are the integers n−1, n−3 … 1−n.
var clement = diagonals("clement", constant(0),
	func(n, i int) float64 { return math.Sqrt(float64((i + 1) * (n - i - 1))) },
	func(n int) []float64 { return vector(n, func(k int) float64 { return float64(2*k - (n - 1)) }) })

// wilkinson is the matrix W⁺ with |i − (n−1)/2| on the diagonal and ones next to the diagonal. Its
// larger eigenvalues come in pairs. From order 21 on, the two largest eigenvalues agree in at least
// 14 digits, although no off-diagonal element is small.
var wilkinson = diagonals("wilkinson", wilkinsonDiagonal, constant(1), nil)

func wilkinsonDiagonal(n, i int) float64 { return math.Abs(float64(i) - float64(n-1)/2) }

// GluedWilkinson has n/21 copies of W21⁺ on the diagonal, with off-diagonal elements `glue` between
// neighbouring copies. Its eigenvalues form clusters of about n/21, and their vectors extend over
// all copies. It is a hard case for MRRR.
func GluedWilkinson(glue float64) TridiagonalKind {
	const block = 21
	return diagonals(fmt.Sprintf("glued-wilkinson(%.1g)", glue),
		func(_, i int) float64 { return wilkinsonDiagonal(block, i%block) },
		func(_, i int) float64 {
			if i%block == block-1 {
				return glue
			}
			return 1
		}, nil)
}

// pathGraph is the Laplacian matrix of a path graph. It is singular. Its eigenvalues are 2 −
// 2cos(kπ/n), k = 0 … n−1.
var pathGraph = diagonals("path-graph",
	func(n, i int) float64 {
		degree := 2.0
		if i == 0 {
			degree--
		}
		if i == n-1 {
			degree--
		}
		return degree
	}, constant(-1),
	func(n int) []float64 { return vector(n, func(k int) float64 { return 2 - 2*cosine(k, n) }) })

// These are Jacobi matrices of orthogonal polynomials. Their eigenvalues are the nodes of Gauss
// quadrature. For large orders, eigenvectors of the Hermite matrix have components below the
// smallest normal double.
var (
	hermite  = diagonals("hermite", constant(0), func(_, i int) float64 { return math.Sqrt(float64(i+1) / 2) }, nil)
	legendre = diagonals("legendre", constant(0), func(_, i int) float64 {
		k := float64(i + 1)
		return k / math.Sqrt(4*k*k-1)
	}, nil)
	chebyshev = diagonals("chebyshev", constant(0), func(_, i int) float64 {
		if i == 0 {
			return math.Sqrt2 / 2
		}
		return 0.5
	}, func(n int) []float64 { return vector(n, func(k int) float64 { return cosine(2*k+1, 2*n) }) })
)

// repeated has equal 1-2-1 blocks on the diagonal. The off-diagonal elements between blocks are
// exactly zero, so every eigenvalue has exactly the multiplicity n/5 if n is a multiple of 5.
var repeated = diagonals("repeated-blocks", constant(2),
	func(_, i int) float64 {
		if i%repeatedBlock == repeatedBlock-1 {
			return 0
		}
		return 1
	},
	func(n int) []float64 {
		return vector(n, func(k int) float64 {
			order := min(repeatedBlock, n-k/repeatedBlock*repeatedBlock)
			return 2 + 2*cosine(k%repeatedBlock+1, order+1)
		})
	})

const repeatedBlock = 5

// GradedTridiagonal has entries that span the given number of decades from one end to the other. If
// `decades` is negative, the entries grow towards the last row. QR iteration is accurate only if it
// begins at one end, and not at the other one.
func GradedTridiagonal(decades float64) TridiagonalKind {
	grade := func(n int, i float64) float64 { return math.Pow(10, -decades*i/float64(max(1, n-1))) }
	return diagonals(fmt.Sprintf("graded-tridiagonal(%g)", decades),
		func(n, i int) float64 { return grade(n, float64(i)) },
		func(n, i int) float64 { return grade(n, float64(i)+0.5) / 2 }, nil)
}

var randomTridiagonal = TridiagonalKind{"random-tridiagonal", func(n int, r *rand.Rand) ([]float64, []float64) {
	return normals(n, r), normals(n-1, r)
}, nil}

// golubKahan is a tridiagonal matrix with a zero diagonal. Its eigenvalues come in pairs ±σ, and
// one is 0 for odd orders.
var golubKahan = TridiagonalKind{"golub-kahan", func(n int, r *rand.Rand) ([]float64, []float64) {
	return make([]float64, n), normals(n-1, r)
}, nil}

// lightCouplings has off-diagonal elements of all sizes from 1 to below underflow, in random order,
// and some zeros. A solver must decide which of them are small enough to split the matrix.
var lightCouplings = TridiagonalKind{"light-couplings", func(n int, r *rand.Rand) ([]float64, []float64) {
	d := normals(n, r)
	e := vector(n-1, func(int) float64 { return math.Pow(10, -400*r.Float64()*r.Float64()) })
	return d, e
}, nil}

func constant(v float64) func(n, i int) float64 { return func(_, _ int) float64 { return v } }

func normals(n int, r *rand.Rand) []float64 {
	return vector(n, func(int) float64 { return r.NormFloat64() })
}

// cosine returns cos(πk/n). The result is exact if it is 0, 1 or −1.
func cosine(k, n int) float64 {
	return math.Sin(math.Pi * (float64(n) - 2*float64(k)) / (2 * float64(n)))
}
