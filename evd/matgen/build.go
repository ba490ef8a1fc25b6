package matgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// entries makes a dense kind from a formula for element (i, j), which is evaluated only for i ≥ j.
func entries(name string, at func(n, i, j int) float64, spectrum func(n int) []float64) DenseKind {
	return DenseKind{name, func(n int, _ *rand.Rand) []float64 {
		return symmetric(n, func(i, j int) float64 { return at(n, i, j) })
	}, drawless(spectrum)}
}

// diagonals makes a tridiagonal kind from formulas for d[i] and e[i].
func diagonals(name string, d, e func(n, i int) float64, spectrum func(n int) []float64) TridiagonalKind {
	return TridiagonalKind{name, func(n int, _ *rand.Rand) ([]float64, []float64) {
		return vector(n, func(i int) float64 { return d(n, i) }), vector(n-1, func(i int) float64 { return e(n, i) })
	}, drawless(spectrum)}
}

// AsDense returns the same matrices in full storage, under the same name.
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

// Scaled returns 2^exponent·A, whose eigenvalues scale exactly.
func (k DenseKind) Scaled(exponent int) DenseKind {
	return DenseKind{fmt.Sprintf("%s·2^%d", k.name, exponent), func(n int, _ *rand.Rand) []float64 {
		return times(exponent, k.Dense(n))
	}, k.scaledSpectrum(exponent)}
}

// scaledSpectrum returns the spectrum of 2^exponent·A, or nil if that of A is unknown.
func (k DenseKind) scaledSpectrum(exponent int) func(int, *rand.Rand) []float64 {
	if k.spectrum == nil {
		return nil
	}
	return func(n int, _ *rand.Rand) []float64 {
		values, _ := k.Eigenvalues(n)
		return times(exponent, values)
	}
}

// Scaled returns 2^exponent·T, whose eigenvalues scale exactly.
func (k TridiagonalKind) Scaled(exponent int) TridiagonalKind {
	dense := k.AsDense().Scaled(exponent)
	return TridiagonalKind{dense.name, func(n int, _ *rand.Rand) ([]float64, []float64) {
		d, e := k.Tridiagonal(n)
		return times(exponent, d), times(exponent, e)
	}, dense.spectrum}
}

// drawless converts a spectrum that needs no random numbers to the general form. It returns nil if
// the spectrum is nil, which means unknown.
func drawless(spectrum func(n int) []float64) func(int, *rand.Rand) []float64 {
	if spectrum == nil {
		return nil
	}
	return func(n int, _ *rand.Rand) []float64 { return spectrum(n) }
}

// ascending evaluates the spectrum of the kind with that name and sorts it. If spectrum is nil,
// known is false.
func ascending(name string, n int, spectrum func(int, *rand.Rand) []float64) ([]float64, bool) {
	if spectrum == nil {
		return nil, false
	}
	values := spectrum(n, seeded(name, n))
	slices.Sort(values)
	return values, true
}

// symmetric fills both triangles of a matrix. It evaluates the formula for the lower triangle,
// column by column.
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

// vector returns a slice of n elements given by a formula. The slice is empty for n < 0.
func vector(n int, at func(i int) float64) []float64 {
	x := make([]float64, max(0, n))
	for i := range x {
		x[i] = at(i)
	}
	return x
}

// times returns 2^exponent·x. It is exact unless an element overflows or becomes subnormal.
func times(exponent int, x []float64) []float64 {
	return vector(len(x), func(i int) float64 { return math.Ldexp(x[i], exponent) })
}
