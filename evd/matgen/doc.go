// Package matgen, internal to vkevd, makes symmetric and complex Hermitian test matrices, many of
// them with known eigenvalues: LAPACK's own test types, classical matrices with a formula, and
// matrices on which solvers have failed.
//
//	for _, kind := range matgen.Dense() {
//		a := kind.Dense(n)                      // column-major, full, ld = n
//		want, known := kind.Eigenvalues(n)      // ascending
//	}
//
// Hermitians lists the complex kinds, with the same methods.
//
// A kind is a family of matrices, one for each order n ≥ 0. Each call gives the same bits, because
// the name of the kind and n determine the random numbers. The known eigenvalues are those of the
// matrix before its entries were rounded, so they may differ by a few n·ulp·‖A‖ from those of the
// stored matrix. If the entries are exact (integers, powers of two), the eigenvalues are as
// accurate as their formula.
package matgen

import (
	"hash/fnv"
	"math/rand/v2"
)

type DenseKind struct {
	name string
	fill func(n int, r *rand.Rand) []float64

	// spectrum returns the eigenvalues in any order. It is nil if no formula is known. It gets a
	// generator in the same state as `fill` does, so that both draw the same numbers.
	spectrum func(n int, r *rand.Rand) []float64
}

type TridiagonalKind struct {
	name     string
	fill     func(n int, r *rand.Rand) (d, e []float64)
	spectrum func(n int, r *rand.Rand) []float64 // as in DenseKind
}

func (k DenseKind) Name() string { return k.name }

// Dense returns the matrix of order n with both triangles, column-major with leading dimension n.
func (k DenseKind) Dense(n int) []float64 { return k.fill(n, seeded(k.name, n)) }

// Eigenvalues returns the n eigenvalues in ascending order, if a formula is known.
func (k DenseKind) Eigenvalues(n int) (values []float64, known bool) {
	return ascending(k.name, n, k.spectrum)
}

func (k TridiagonalKind) Name() string { return k.name }

// Tridiagonal returns the matrix of order n: the diagonal d with n elements, and the off-diagonal e
// with max(0, n−1) elements.
func (k TridiagonalKind) Tridiagonal(n int) (d, e []float64) { return k.fill(n, seeded(k.name, n)) }

// Eigenvalues returns the n eigenvalues in ascending order, if a formula is known.
func (k TridiagonalKind) Eigenvalues(n int) (values []float64, known bool) {
	return ascending(k.name, n, k.spectrum)
}

func seeded(name string, n int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
}
