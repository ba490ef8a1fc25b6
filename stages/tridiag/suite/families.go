// Package suite, internal to vkevd, for tests only, holds matrices and checks for the tests of the
// tridiagonal and the bidiagonal solvers.
//
//	families.go, bidiagonal_families.go  matrices of any order, difficult or simple
//	collection.go                        matrices from files
//	checks.go, bidiagonal_checks.go      residual, orthogonality, distances from other results
//	stops.go                             solvers that are interrupted
package suite

import (
	"math"
	"math/rand/v2"
)

// Families are families of tridiagonal matrices that are difficult for eigensolvers, and simple
// ones. Make returns the matrix of order n; the same n gives the same matrix.
var Families = []struct {
	Name string
	Make func(n int) (d, e []float64)
}{
	{"random", Random},
	{"1-2-1", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 2 }, func(int) float64 { return -1 })
	}},
	{"uniform", func(n int) (d, e []float64) {
		r := generator(n)
		return Build(n, func(int) float64 { return r.Float64() }, func(int) float64 { return r.Float64() })
	}},
	{"Clement", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 0 },
			func(i int) float64 { return math.Sqrt(float64((i + 1) * (n - 1 - i))) })
	}},
	{"Wilkinson", func(n int) (d, e []float64) {
		return Build(n, func(i int) float64 { return math.Abs(float64(n-1)/2 - float64(i)) },
			func(int) float64 { return 1 })
	}},
	{"glued Wilkinson 1e-14", func(n int) (d, e []float64) { return Glued(n, 1e-14) }},
	{"glued Wilkinson 1e-8", func(n int) (d, e []float64) { return Glued(n, 1e-8) }},
	{"glued Wilkinson 1", func(n int) (d, e []float64) { return Glued(n, 1) }},
	{"glued Wilkinson 1e8", func(n int) (d, e []float64) { return Glued(n, 1e8) }},
	{"graded down", func(n int) (d, e []float64) { return graded(n, -1) }},
	{"graded up", func(n int) (d, e []float64) { return graded(n, 1) }},
	{"random exponents", func(n int) (d, e []float64) {
		r := generator(n)
		f := func(int) float64 { return r.NormFloat64() * math.Pow(10, -18*r.Float64()) }
		return Build(n, f, f)
	}},
	{"wild exponents", func(n int) (d, e []float64) {
		r := generator(n)
		f := func(int) float64 { return r.NormFloat64() * math.Pow(10, 300*(2*r.Float64()-1)) }
		return Build(n, f, f)
	}},
	{"zero", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 0 }, func(int) float64 { return 0 })
	}},
	{"identity", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 1 }, func(int) float64 { return 0 })
	}},
	{"diagonal", func(n int) (d, e []float64) {
		r := generator(n)
		return Build(n, func(int) float64 { return r.NormFloat64() }, func(int) float64 { return 0 })
	}},
	{"constant, tiny e", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 1 }, func(int) float64 { return 1e-15 })
	}},
	{"zero diagonal, tiny and large e", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 0 }, func(i int) float64 { return []float64{1, 1e-9, -1e-17}[i%3] })
	}},
	{"two by two blocks", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 1 }, func(i int) float64 { return float64((i + 1) % 2) })
	}},
	{"multiples, weakly coupled", func(n int) (d, e []float64) {
		return Build(n, func(i int) float64 { return float64(i % 3) }, func(int) float64 { return 1e-7 })
	}},
	{"cluster at 1", func(n int) (d, e []float64) {
		r := generator(n)
		return Build(n, func(int) float64 { return 1 + 1e-13*r.NormFloat64() },
			func(int) float64 { return 1e-12 * r.NormFloat64() })
	}},
	{"two clusters", func(n int) (d, e []float64) {
		r := generator(n)
		return Build(n, func(i int) float64 { return float64(i%2) + 1e-10*r.NormFloat64() },
			func(int) float64 { return 1e-5 })
	}},
	{"large", func(n int) (d, e []float64) { return scaled(n, 1e150) }},
	{"small", func(n int) (d, e []float64) { return scaled(n, 1e-150) }},
	{"near overflow", func(n int) (d, e []float64) { return scaled(n, 1e307) }},
	{"denormal", func(n int) (d, e []float64) { return scaled(n, 1e-307) }},
	{"negative e", func(n int) (d, e []float64) {
		return Build(n, func(i int) float64 { return float64(i * i) }, func(i int) float64 { return -float64(i + 1) })
	}},
	{"Legendre", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 0 },
			func(i int) float64 { k := float64(i + 1); return k / math.Sqrt((2*k-1)*(2*k+1)) })
	}},
	{"Hermite", func(n int) (d, e []float64) {
		return Build(n, func(int) float64 { return 0 }, func(i int) float64 { return math.Sqrt(float64(i + 1)) })
	}},
	{"huge e", func(n int) (d, e []float64) {
		return Build(n, func(i int) float64 { return float64(i % 5) },
			func(i int) float64 { return 1e12 * float64(i%2) })
	}},
}

func generator(n int) *rand.Rand { return rand.New(rand.NewPCG(uint64(n), 2026)) }

func Build(n int, diag, off func(i int) float64) (d, e []float64) {
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	for i := range d {
		d[i] = diag(i)
	}
	for i := range e {
		e[i] = off(i)
	}
	return d, e
}

func Random(n int) (d, e []float64) {
	r := generator(n)
	f := func(int) float64 { return r.NormFloat64() }
	return Build(n, f, f)
}

// Glued returns a tridiagonal matrix of order n that consists of Wilkinson matrices of order 21.
// The off-diagonal elements between the Wilkinson matrices are `glue`. The last Wilkinson matrix
// may be incomplete.
func Glued(n int, glue float64) (d, e []float64) {
	return Build(n, func(i int) float64 { return math.Abs(float64(i%21 - 10)) },
		func(i int) float64 {
			if i%21 == 20 {
				return glue
			}
			return 1
		})
}

// graded returns a matrix whose elements change by 32 orders of magnitude: downwards if `direction`
// is −1, upwards if it is 1.
func graded(n int, direction float64) (d, e []float64) {
	f := func(i int) float64 { return math.Pow(10, direction*32*float64(i)/float64(n)) }
	return Build(n, f, func(i int) float64 { return f(i) / 2 })
}

func scaled(n int, scale float64) (d, e []float64) {
	d, e = Random(n)
	for i := range d {
		d[i] *= scale
	}
	for i := range e {
		e[i] *= scale
	}
	return d, e
}
