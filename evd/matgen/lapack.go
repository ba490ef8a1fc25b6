package matgen

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const ulp = tridiag.Ulp

// A lapackType is one row of the tables in LAPACK's ddrvst and dchkst.
type lapackType struct {
	program string // LAPACK's test program that numbers the type
	number  int    // the type there
	form    form
	shape   func(n int, cond float64) []float64 // magnitudes of the n eigenvalues, at most 1; see even
	signs   bool                                // random signs of the eigenvalues; otherwise all are positive
	cond    func(n int) float64                 // ratio of the largest magnitude to the smallest, for order n
	size    size                                // the norm
}

// A form says how a test matrix is made from the diagonal matrix D of its eigenvalues and from a
// random orthogonal matrix U.
type form string

const (
	diagonal form = "diagonal" // D
	full     form = "full"     // UᵀDU
	banded   form = "banded"   // UᵀDU of random half-bandwidth in 0 … n−1
	uniform  form = "uniform"  // entries in (−1, 1), eigenvalues unknown
	dominant form = "dominant" // UᵀDU of half-bandwidth 1 with reduced off-diagonals
)

// A size is a norm of the test matrices of LAPACK's dchkst and ddrvst. It has an ending for names,
// and a function of the order n.
type size struct {
	name string
	norm func(n int) float64
}

var (
	one   = size{"", func(int) float64 { return 1 }}
	big   = size{"-big", func(n int) float64 { return math.Sqrt(math.MaxFloat64) * ulp / float64(max(1, n)) }}
	small = size{"-small", func(n int) float64 { return math.Sqrt(0x1p-1022) * float64(max(1, n)) / ulp }}
)

// even returns magnitudes from 1 down to 1/cond with equal differences (MODE 4 of LAPACK's dlatms).
func even(n int, cond float64) []float64 {
	return vector(n, func(i int) float64 { return 1 - float64(i)/float64(max(1, n-1))*(1-1/cond) })
}

// geometric returns magnitudes from 1 down to 1/cond with equal ratios (MODE 3 of dlatms).
func geometric(n int, cond float64) []float64 {
	return vector(n, func(i int) float64 { return math.Pow(cond, -float64(i)/float64(max(1, n-1))) })
}

// clustered returns the magnitude 1 once, and the magnitude 1/cond n−1 times (MODE 1 of dlatms).
func clustered(n int, cond float64) []float64 {
	return vector(n, func(i int) float64 {
		if i == 0 {
			return 1
		}
		return 1 / cond
	})
}

// These are condition numbers of LAPACK's test types: 1/ulp, and a tenth of 1/(n·ulp).
func condUlp(int) float64     { return 1 / ulp }
func condTenth(n int) float64 { return 1 / (10 * float64(max(1, n)) * ulp) }

// lapackTypes are LAPACK's test types from number 3 on. Types 1 and 2, the zero matrix and the
// identity, are in the registry under their own names. Types 1–15 of ddrvst are also types of
// dchkst.
var lapackTypes = []lapackType{
	{"ddrvst", 3, diagonal, even, true, condUlp, one},
	{"ddrvst", 4, diagonal, geometric, true, condUlp, one},
	{"ddrvst", 5, diagonal, clustered, true, condUlp, one},
	{"ddrvst", 6, diagonal, even, true, condUlp, big},
	{"ddrvst", 7, diagonal, even, true, condUlp, small},
	{"ddrvst", 8, full, even, true, condUlp, one},
	{"ddrvst", 9, full, geometric, true, condUlp, one},
	{"ddrvst", 10, full, clustered, true, condUlp, one},
	{"ddrvst", 11, full, even, true, condUlp, big},
	{"ddrvst", 12, full, even, true, condUlp, small},
	{"ddrvst", 13, uniform, nil, true, condUlp, one},
	{"ddrvst", 14, uniform, nil, true, condUlp, big},
	{"ddrvst", 15, uniform, nil, true, condUlp, small},
	{"ddrvst", 16, banded, even, true, condUlp, one},
	{"ddrvst", 17, banded, even, true, condUlp, big},
	{"ddrvst", 18, banded, even, true, condUlp, small},
	{"dchkst", 16, full, even, false, condTenth, one},
	{"dchkst", 17, full, geometric, false, condTenth, one},
	{"dchkst", 18, full, clustered, false, condTenth, one},
	{"dchkst", 19, full, even, false, condTenth, big},
	{"dchkst", 20, full, even, false, condTenth, small},
	{"dchkst", 21, dominant, geometric, false, condTenth, one},
}

func (t lapackType) name() string {
	return fmt.Sprintf("%s-%02d-%s%s", t.program, t.number, t.form, t.size.name)
}

// values returns the eigenvalues, with their signs, in any order. It must draw from r before any
// other function does.
func (t lapackType) values(n int, r *rand.Rand) []float64 {
	values := t.shape(n, t.cond(n))
	for i := range values {
		values[i] *= t.size.norm(n)
		if t.signs && r.IntN(2) == 1 {
			values[i] = -values[i]
		}
	}
	return values
}

func (t lapackType) dense() DenseKind {
	k := DenseKind{name: t.name(), fill: t.fill, spectrum: t.values}
	if t.form == uniform || t.form == dominant {
		k.spectrum = nil
	}
	return k
}

// fill returns a random matrix of order n of this type. The function `spectrum` returns its
// eigenvalues if it is called with a generator in the same state as r.
func (t lapackType) fill(n int, r *rand.Rand) []float64 {
	if t.form == uniform {
		norm := t.size.norm(n)
		return symmetric(n, func(_, _ int) float64 { return norm * (2*r.Float64() - 1) })
	}
	values := t.values(n, r) // first, as spectrum draws them
	width := 0
	switch t.form {
	case full:
		width = n
	case banded:
		width = r.IntN(max(1, n))
	case dominant:
		width = 1
	}
	if width == 0 {
		return symmetric(n, func(i, j int) float64 {
			if i == j {
				return values[i]
			}
			return 0
		})
	}
	a := similar(values, r)
	narrow(n, width, a)
	if t.form == dominant {
		cut(n, a)
	}
	return a
}

// cut makes the off-diagonal elements of a tridiagonal matrix in full storage small: |a(i+1, i)|
// becomes at most half of the geometric mean of |a(i, i)| and |a(i+1, i+1)|.
func cut(n int, a []float64) {
	for i := range max(0, n-1) {
		limit := math.Sqrt(math.Abs(a[i+i*n]*a[i+1+(i+1)*n])) / 2
		e := min(math.Abs(a[i+1+i*n]), limit)
		a[i+1+i*n], a[i+(i+1)*n] = e, e
	}
}

func (t lapackType) tridiagonal() TridiagonalKind {
	k := t.dense()
	return TridiagonalKind{k.name, func(n int, r *rand.Rand) ([]float64, []float64) {
		a := k.fill(n, r)
		return vector(n, func(i int) float64 { return a[i+i*n] }),
			vector(n-1, func(i int) float64 { return a[i+1+i*n] })
	}, k.spectrum}
}
