package stagetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk/spirv"
)

func IdentityMatrix(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i+i*n] = 1
	}
	return x
}

func Transpose[T any](m, n int, x []T) []T {
	out := make([]T, len(x))
	for j := range n {
		for i := range m {
			out[j+i*n] = x[i+j*m]
		}
	}
	return out
}

func Symmetric(n int) []float64 {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	a := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			a[i+j*n] = random.NormFloat64()
			a[j+i*n] = a[i+j*n]
		}
	}
	return a
}

func UpperBand(n, b int) []float64 {
	g := Normal(b+1, n, b+1, uint64(n+1000*b)).Data
	band := make([]float64, ref.BidiagonalBandLen(n, b))
	for i := range n {
		for j := i; j < min(n, i+b+1); j++ {
			band[ref.BidiagonalBandAt(b, i, j)] = g[j-i+i*(b+1)]
		}
	}
	return band
}

func SameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

// RandomBand returns a compact band with normally distributed elements. The elements below the
// band, the space for the bulge, are zero.
func RandomBand(n, b int) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]float64, 2*b*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[2*b*c+i] = r.NormFloat64()
		}
	}
	return band
}

func RandomTridiagonal(n int, seed uint64) (d, e []float64) {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	for i := range d {
		d[i] = r.NormFloat64()
	}
	for i := range e {
		e[i] = r.NormFloat64()
	}
	return d, e
}

// SplitTridiagonals calls the function `check` with tridiagonal matrices that have zeros in the
// off-diagonal e. Each zero splits the matrix into two blocks. For each place in e there is a
// matrix with one zero at this place. There are also matrices with several zeros: one for every
// `every`-th set of places.
func SplitTridiagonals(every int, check func(name string, d, e []float64)) {
	const n = 13
	for mask := range 1 << (n - 1) {
		if mask&(mask-1) != 0 && mask%every != 0 {
			continue
		}
		d, e := RandomTridiagonal(n, 3)
		for i := range e {
			if mask>>i&1 == 1 {
				e[i] = 0
			}
		}
		check(fmt.Sprintf("mask %b", mask), d, e)
	}
}

// ScaledTridiagonals calls the function `check` with tridiagonal matrices whose elements have
// squares that overflow or underflow, or almost do.
func ScaledTridiagonals(check func(name string, d, e []float64)) {
	for _, scale := range []float64{1e-300, 1e-150, 1e150, 1e300} {
		d, e := RandomTridiagonal(77, 5)
		for i := range d {
			d[i] *= scale
		}
		for i := range e {
			e[i] *= scale
		}
		check(fmt.Sprint(scale), d, e)
	}
}

// Normals returns n normally distributed numbers. Number i is multiplied by scale(i).
func Normals(n int, seed uint64, scale func(i int) float64) []float32 {
	r, x := rand.New(rand.NewPCG(seed, 2)), make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64() * scale(i))
	}
	return x
}

func Close(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) < 1e-9) {
			t.Fatalf("%s: element %d is %g, the twin has %g", what, i, got[i], want[i])
		}
	}
}

// OrdersFrom returns the orders that an environment variable lists. It skips the test if the
// variable is not set.
func OrdersFrom(t *testing.T, variable string) (orders []int) {
	t.Helper()
	list := os.Getenv(variable)
	if list == "" {
		t.Skip(variable + " is not set to orders, such as 1000,4097")
	}
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		orders = append(orders, n)
	}
	return orders
}

func Pick(when bool, a, b float64) float64 {
	if when {
		return a
	}
	return b
}

// Padded returns a copy of a packed matrix with leading dimension ld, and with NaN in the padding
// between the columns.
func Padded[T spirv.Scalar](m, n int, packed []T, ld int) []T {
	out := make([]T, ld*n)
	for at := range out {
		out[at] = NaN[T]()
		if i := at % ld; i < m {
			out[at] = packed[i+at/ld*m]
		}
	}
	return out
}

// Unpadded is the inverse of Padded. It fails the test if the padding is no longer NaN.
func Unpadded[T spirv.Scalar](t *testing.T, m, n int, x []T, ld int) []T {
	t.Helper()
	out := make([]T, m*n)
	for at, v := range x {
		if i, j := at%ld, at/ld; i < m {
			out[i+j*m] = v
		} else if !IsNaN(v) {
			t.Fatalf("padding (%d, %d) was written", i, j)
		}
	}
	return out
}

// IsNaN tells whether a part of x is NaN.
func IsNaN[T spirv.Scalar](x T) bool { return x != x }

// NaN returns a number whose parts are NaN.
func NaN[T spirv.Scalar]() (x T) { return x / x }

// Worst keeps the largest of several ratios, and the name of the case with this ratio.
type Worst struct {
	ratio float64
	where string
}

func (w *Worst) See(ratio float64, where string) {
	if ratio > w.ratio || math.IsNaN(ratio) {
		w.ratio, w.where = ratio, where
	}
}

// AtMost fails the test if the ratio is above the limit, or if nothing was measured.
func (w *Worst) AtMost(t *testing.T, name string, limit float64) {
	t.Helper()
	t.Logf("%s: worst %.3g, %s", name, w.ratio, w.where)
	if !(w.ratio <= limit) || w.ratio == 0 {
		t.Errorf("%s = %g, want at most %g, above 0: %s", name, w.ratio, limit, w.where)
	}
}
