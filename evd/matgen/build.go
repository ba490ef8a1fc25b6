package matgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// entries makes a kind of dense test matrices. The formula `at` gives element (i, j); it is used
// only for i ≥ j. `spectrum` gives the eigenvalues, and is nil if they are unknown.
func entries(name string, at func(n, i, j int) float64, spectrum func(n int) []float64) DenseKind {
	return DenseKind{name, func(n int, _ *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 { return at(n, i, j) })
	}, drawless(spectrum)}
}

// diagonals makes a kind of tridiagonal test matrices. d and e give element i of the diagonal and
// of the off-diagonal, and `spectrum` the eigenvalues, or nil if they are unknown.
func diagonals(name string, d, e func(n, i int) float64, spectrum func(n int) []float64) TridiagonalKind {
	return TridiagonalKind{name, func(n int, _ *rand.Rand) ([]float64, []float64) {
		return vector(n, func(i int) float64 { return d(n, i) }), vector(n-1, func(i int) float64 { return e(n, i) })
	}, drawless(spectrum)}
}

// AsDense returns a dense kind with the same matrices in full storage, and with the same name.
func (k TridiagonalKind) AsDense() DenseKind {
	return DenseKind{k.name, func(n int, _ *rand.Rand) []float64 {
		a := make([]float64, n*n)
		d, e := k.Tridiagonal(n)
		for i := range d {
			a[i+i*n] = d[i]
		}
		for i := range e {
			a[i+1+i*n], a[i+(i+1)*n] = e[i], e[i]
		}
		return a
	}, k.spectrum}
}

// Scaled returns the family of the matrices 2^exponent·A, for all matrices A of the kind k. Their
// eigenvalues are exactly 2^exponent times those of A, unless entries or eigenvalues underflow.
func (k DenseKind) Scaled(exponent int) DenseKind {
	return DenseKind{fmt.Sprintf("%s·2^%d", k.name, exponent), func(n int, _ *rand.Rand) []float64 {
		return times(exponent, k.Dense(n))
	}, k.scaledSpectrum(exponent)}
}

func (k DenseKind) scaledSpectrum(exponent int) func(int, *rand.Rand) []float64 {
	if k.spectrum == nil {
		return nil
	}
	return func(n int, _ *rand.Rand) []float64 {
		values, _ := k.Eigenvalues(n)
		return times(exponent, values)
	}
}

// Scaled returns the kind of the matrices 2^exponent·T, for all matrices T of the kind k. Their
// eigenvalues are exactly 2^exponent times those of T, unless entries or eigenvalues underflow.
func (k TridiagonalKind) Scaled(exponent int) TridiagonalKind {
	dense := k.AsDense().Scaled(exponent)
	return TridiagonalKind{dense.name, func(n int, _ *rand.Rand) ([]float64, []float64) {
		d, e := k.Tridiagonal(n)
		return times(exponent, d), times(exponent, e)
	}, dense.spectrum}
}

func drawless(spectrum func(n int) []float64) func(int, *rand.Rand) []float64 {
	if spectrum == nil {
		return nil
	}
	return func(n int, _ *rand.Rand) []float64 { return spectrum(n) }
}

// ascending returns the sorted eigenvalues of the matrix of order n of the kind with this name, if
// they are known.
func ascending(name string, n int, spectrum func(int, *rand.Rand) []float64) ([]float64, bool) {
	if spectrum == nil {
		return nil, false
	}
	values := spectrum(n, seeded(name, n))
	slices.Sort(values)
	return values, true
}

// symmetric returns a symmetric matrix with both triangles. The formula `at` gives the elements of
// the lower triangle, and is called column by column.
func symmetric(n int, at func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			v := at(i, j)
			a[i+j*n], a[j+i*n] = v, v
		}
	}
	return a
}

func vector(n int, at func(i int) float64) []float64 {
	x := make([]float64, max(0, n))
	for i := range x {
		x[i] = at(i)
	}
	return x
}

func times(exponent int, x []float64) []float64 {
	return vector(len(x), func(i int) float64 { return math.Ldexp(x[i], exponent) })
}
