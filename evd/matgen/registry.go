package matgen

import "math"

// These exponents of 2 scale matrices to the ends of the range of doubles: to entries near
// overflow, to entries far below the square root of the underflow threshold, and to subnormal
// entries.
const (
	nearOverflow  = 1000
	nearUnderflow = -1000
	denormal      = -1060
)

func Tridiagonals() []TridiagonalKind {
	kinds := []TridiagonalKind{
		zero, identity,
		Toeplitz(2, -1), Toeplitz(0, 1), Toeplitz(-3, 0x1p-30),
		clement, pathGraph, repeated,
		wilkinson, GluedWilkinson(math.Sqrt(ulp)), GluedWilkinson(1e-3), GluedWilkinson(16 * ulp),
		hermite, legendre, chebyshev,
		GradedTridiagonal(20), GradedTridiagonal(-20), GradedTridiagonal(250),
		randomTridiagonal, golubKahan, lightCouplings,
		clement.Scaled(nearOverflow), clement.Scaled(nearUnderflow), clement.Scaled(denormal),
		wilkinson.Scaled(nearOverflow), wilkinson.Scaled(nearUnderflow),
	}
	for _, t := range lapackTypes {
		if t.form == diagonal || t.form == dominant {
			kinds = append(kinds, t.tridiagonal())
		}
	}
	return kinds
}

// Dense returns every kind of dense test matrices, with the tridiagonal ones in full storage.
func Dense() []DenseKind {
	kinds := []DenseKind{
		goe, diagonallyDominant, hilbert, minIJ, kacMurdockSzego,
		rankOne, allOnes, pairs, exchange, cycleGraph, star, arrowhead,
		Graded(8), Graded(-8), Graded(100),
		Band(2), Band(5), Band(17),
		Similar("two-clusters", twoClusters), Similar("triples", triples), Similar("nearly-singular", nearlySingular),
		goe.Scaled(nearOverflow), goe.Scaled(nearUnderflow), goe.Scaled(denormal),
		minIJ.Scaled(nearOverflow), minIJ.Scaled(nearUnderflow),
	}
	for _, t := range lapackTypes {
		if t.form != diagonal && t.form != dominant {
			kinds = append(kinds, t.dense())
		}
	}
	for _, t := range Tridiagonals() {
		kinds = append(kinds, t.AsDense())
	}
	return kinds
}

// twoClusters returns n eigenvalues, each within n/2 ulp of −1 or of 1.
func twoClusters(n int) []float64 {
	return vector(n, func(k int) float64 {
		return float64(1-2*(k%2)) * (1 + float64(k/2)*ulp)
	})
}

// triples returns eigenvalues that occur three times each: 1, 1, 1, 2, 2, 2 …
func triples(n int) []float64 { return vector(n, func(k int) float64 { return float64(1 + k/3) }) }

// nearlySingular returns the eigenvalues 100^−k. Most of them are smaller than rounding errors.
func nearlySingular(n int) []float64 {
	return vector(n, func(k int) float64 { return math.Pow(10, -float64(2*k)) })
}
