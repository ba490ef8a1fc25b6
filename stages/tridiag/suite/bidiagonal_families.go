package suite

import (
	"math"
	"math/rand/v2"
	"slices"

	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// LAPACK's test program dchkbd scales some matrices by the same factors.
const (
	nearOverflow  = 0x1p511
	nearUnderflow = 0x1p-511
)

// BidiagonalFamilies are families of upper bidiagonal matrices that are difficult for solvers, and
// simple ones. They include the sixteen types of LAPACK's dchkbd. The same n gives the same matrix.
var BidiagonalFamilies = []struct {
	Name string
	Make func(n int) (d, e []float64)
}{
	{"dchkbd 1: zero", func(n int) (d, e []float64) { return make([]float64, n), noSuper(n) }},
	{"dchkbd 2: identity", func(n int) (d, e []float64) { return slices.Repeat([]float64{1}, n), noSuper(n) }},
	{"dchkbd 3: diagonal, even", func(n int) (d, e []float64) { return withSigns(even(n)), noSuper(n) }},
	{"dchkbd 4: diagonal, geometric", func(n int) (d, e []float64) { return withSigns(geometric(n)), noSuper(n) }},
	{"dchkbd 5: diagonal, clustered", func(n int) (d, e []float64) { return withSigns(clustered(n)), noSuper(n) }},
	{"dchkbd 6: diagonal, near overflow", func(n int) (d, e []float64) {
		return times(nearOverflow, withSigns(even(n)), noSuper(n))
	}},
	{"dchkbd 7: diagonal, near underflow", func(n int) (d, e []float64) {
		return times(nearUnderflow, withSigns(even(n)), noSuper(n))
	}},
	{"dchkbd 8: dense, even", func(n int) (d, e []float64) { return withValues(even(n)) }},
	{"dchkbd 9: dense, geometric", func(n int) (d, e []float64) { return withValues(geometric(n)) }},
	{"dchkbd 10: dense, clustered", func(n int) (d, e []float64) { return withValues(clustered(n)) }},
	{"dchkbd 11: dense, near overflow", func(n int) (d, e []float64) {
		d, e = withValues(even(n))
		return times(nearOverflow, d, e)
	}},
	{"dchkbd 12: dense, near underflow", func(n int) (d, e []float64) {
		d, e = withValues(even(n))
		return times(nearUnderflow, d, e)
	}},
	{"dchkbd 13: dense, uniform", uniformDense},
	{"dchkbd 14: uniform, near overflow", func(n int) (d, e []float64) {
		d, e = uniformDense(n)
		return times(nearOverflow, d, e)
	}},
	{"dchkbd 15: uniform, near underflow", func(n int) (d, e []float64) {
		d, e = uniformDense(n)
		return times(nearUnderflow, d, e)
	}},
	{"dchkbd 16: log-uniform", func(n int) (d, e []float64) {
		r := bidiagonalGenerator(n)
		exponent := 2 * math.Log(0x1p-52)
		return bidiagonal(n, func(int) float64 { return math.Exp(exponent * (2*r.Float64() - 1)) })
	}},

	{"Gaussian", func(n int) (d, e []float64) {
		r := bidiagonalGenerator(n)
		return bidiagonal(n, func(int) float64 { return r.NormFloat64() })
	}},
	{"ones", func(n int) (d, e []float64) { return bidiagonal(n, func(int) float64 { return 1 }) }},
	{"almost one value", func(n int) (d, e []float64) {
		d, e = bidiagonal(n, func(i int) float64 { return 1 + float64(i)*0x1p-52 })
		return d, times1(1e-8, e)
	}},
	{"some d zero", func(n int) (d, e []float64) {
		r := bidiagonalGenerator(n)
		d, e = bidiagonal(n, func(int) float64 { return r.NormFloat64() })
		for i := 0; i < n; i += 3 {
			d[i] = 0
		}
		return d, e
	}},
	{"first d zero", func(n int) (d, e []float64) {
		d, e = bidiagonal(n, func(int) float64 { return 1 })
		clear(d[:min(1, n)])
		return d, e
	}},
	{"last d zero", func(n int) (d, e []float64) {
		d, e = bidiagonal(n, func(int) float64 { return 1 })
		clear(d[max(0, n-1):])
		return d, e
	}},
	{"all d zero", func(n int) (d, e []float64) {
		_, e = bidiagonal(n, func(int) float64 { return 1 })
		return make([]float64, n), e
	}},
	{"rank n/2", func(n int) (d, e []float64) {
		values := even(n)
		clear(values[n/2:])
		return withValues(values)
	}},
	{"rank 1", func(n int) (d, e []float64) {
		values := make([]float64, n)
		copy(values, []float64{1})
		return withValues(values)
	}},
	{"equal values", func(n int) (d, e []float64) { return withValues(slices.Repeat([]float64{3}, n)) }},
	{"graded down", func(n int) (d, e []float64) { return gradedBidiagonal(n, -1) }},
	{"graded up", func(n int) (d, e []float64) { return gradedBidiagonal(n, 1) }},
	{"glued 1e-14", func(n int) (d, e []float64) { return gluedBidiagonal(n, 1e-14) }},
	{"glued 1e-8", func(n int) (d, e []float64) { return gluedBidiagonal(n, 1e-8) }},
	{"glued 1", func(n int) (d, e []float64) { return gluedBidiagonal(n, 1) }},
	{"Kimura", kimura},
	{"split", func(n int) (d, e []float64) { return SplitBidiagonal(n, 0x1p-53) }},
	{"almost split", func(n int) (d, e []float64) { return SplitBidiagonal(n, 0x1.1p-52) }},
	{"wild exponents", func(n int) (d, e []float64) {
		r := bidiagonalGenerator(n)
		return bidiagonal(n, func(int) float64 { return r.NormFloat64() * math.Pow(10, 600*r.Float64()-300) })
	}},
	{"largest numbers", func(n int) (d, e []float64) {
		r := bidiagonalGenerator(n)
		return bidiagonal(n, func(int) float64 { return r.Float64() * 0x1p1022 })
	}},
}

func bidiagonalGenerator(n int) *rand.Rand { return rand.New(rand.NewPCG(255, uint64(n))) }

func noSuper(n int) []float64 { return make([]float64, max(0, n-1)) }

// bidiagonal returns a matrix whose elements are `at(0)`, `at(1)`, `at(2)` …, in the order d[0],
// e[0], d[1], e[1] ….
func bidiagonal(n int, at func(i int) float64) (d, e []float64) {
	d, e = make([]float64, n), noSuper(n)
	for i := range d {
		d[i] = at(2 * i)
		if i < n-1 {
			e[i] = at(2*i + 1)
		}
	}
	return d, e
}

func times1(factor float64, x []float64) []float64 {
	for i := range x {
		x[i] *= factor
	}
	return x
}

func times(factor float64, d, e []float64) (_, _ []float64) {
	return times1(factor, d), times1(factor, e)
}

func withSigns(x []float64) []float64 {
	r := bidiagonalGenerator(len(x))
	for i := range x {
		x[i] *= float64(2*r.IntN(2) - 1)
	}
	return x
}

// even returns the singular values of mode 4 of LAPACK's generator dlatms: equally spaced from 1
// down to ulp. The functions `geometric` and `clustered` do the same for modes 3 and 1.
func even(n int) []float64 {
	return spectrumOf(n, func(t float64) float64 { return 1 - t*(1-0x1p-52) })
}
func geometric(n int) []float64 {
	return spectrumOf(n, func(t float64) float64 { return math.Pow(0x1p-52, t) })
}
func clustered(n int) []float64 {
	return spectrumOf(n, func(t float64) float64 {
		if t > 0 {
			return 0x1p-52
		}
		return 1
	})
}

func spectrumOf(n int, at func(t float64) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = at(float64(i) / float64(max(1, n-1)))
	}
	return x
}

// withValues returns a bidiagonal matrix with the given singular values: a random dense matrix with
// these values is reduced to bidiagonal form.
func withValues(values []float64) (d, e []float64) {
	n := len(values)
	if n == 0 {
		return nil, nil
	}
	var u, v, a mat.Dense
	for seed, q := range []*mat.Dense{&u, &v} {
		var qr mat.QR
		qr.Factorize(mat.NewDense(n, n, normal(n*n, uint64(seed+1))))
		qr.QTo(q)
	}
	a.Mul(&u, mat.NewDiagDense(n, values))
	a.Mul(&a, &v)
	return reduced(n, a.RawMatrix().Data)
}

func normal(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func uniformDense(n int) (d, e []float64) {
	r := bidiagonalGenerator(n)
	a := make([]float64, n*n)
	for i := range a {
		a[i] = 2*r.Float64() - 1
	}
	return reduced(n, a)
}

func reduced(n int, a []float64) (d, e []float64) {
	d, e = make([]float64, n), noSuper(n)
	if n > 0 {
		work := make([]float64, 64*n)
		lapackgonum.Implementation{}.Dgebrd(n, n, a, n, d, e, make([]float64, n), make([]float64, n), work, len(work))
	}
	return d, e
}

// gradedBidiagonal returns a matrix whose elements change by 30 orders of magnitude: downwards if
// `direction` is −1, upwards if it is 1.
func gradedBidiagonal(n int, direction float64) (d, e []float64) {
	return bidiagonal(n, func(i int) float64 {
		return math.Pow(10, direction*30*float64(i)/float64(max(1, 2*n)))
	})
}

// gluedBidiagonal returns a matrix that repeats a block of nine rows. The element e between two
// blocks is `glue`.
func gluedBidiagonal(n int, glue float64) (d, e []float64) {
	d, e = bidiagonal(n, func(i int) float64 { return 1 + math.Abs(float64(i/2%9-4))/2*float64(1-i%2) })
	for i := 8; i < n-1; i += 9 {
		e[i] = glue
	}
	return d, e
}

// kimura returns the Cholesky factor of a shifted tridiagonal matrix, which consists of Wilkinson
// matrices that are coupled by off-diagonal elements 1. Most singular values of the factor occur
// almost twice.
func kimura(n int) (d, e []float64) {
	d, e = make([]float64, n), noSuper(n)
	for i := range d {
		a := 15 + math.Abs(float64(i%21-10)) // diagonal of the shifted matrix; its off-diagonal elements are 1
		if i > 0 {
			e[i-1] = 1 / d[i-1]
			a -= e[i-1] * e[i-1]
		}
		d[i] = math.Sqrt(a)
	}
	return d, e
}

// SplitBidiagonal returns a matrix in which every fifth element of e is `size`. The other elements
// of d and e are random numbers from 1/4 to 3/4.
func SplitBidiagonal(n int, size float64) (d, e []float64) {
	r := bidiagonalGenerator(n)
	d, e = bidiagonal(n, func(int) float64 { return 0.25 + r.Float64()/2 })
	for i := 4; i < n-1; i += 5 {
		e[i] = size
	}
	return d, e
}
