package matgen

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/ratio"
)

func TestEveryHermitianKindIsWhatItSays(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Hermitians() {
		if seen[kind.Name()] {
			t.Errorf("two kinds are named %s", kind.Name())
		}
		seen[kind.Name()] = true
		for _, n := range orders {
			a := kind.Dense(n)
			if len(a) != n*n || !slices.Equal(a, kind.Dense(n)) {
				t.Fatalf("%s, n=%d: %d entries, or other bits on the second call", kind.Name(), n, len(a))
			}
			for j := range n {
				for i := range n {
					if v := a[i+j*n]; cmplx.IsNaN(v) || cmplx.IsInf(v) || v != cmplx.Conj(a[j+i*n]) {
						t.Fatalf("%s, n=%d: entry (%d, %d) is %g, its mirror %g", kind.Name(), n, i, j, v, a[j+i*n])
					}
				}
			}
		}
	}
}

// TestHermitiansAreComplex checks all kinds except those of Phased. No diagonal unitary D may make
// D·A·Dᴴ real. This is so if the product of the elements along some cycle is not real. The
// exceptions are Harper's matrix without phases, and a multiple of the identity plus a matrix of
// rank one.
func TestHermitiansAreComplex(t *testing.T) {
	const n = 22
	for _, kind := range Hermitians()[:12] {
		a, most := kind.Dense(n), 0.0
		norm := ratio.Norm1(n, n, a, n)
		for i := range n {
			for j := range i {
				for k := range j {
					cycle := a[i+j*n] / complex(norm, 0) * a[j+k*n] * a[k+i*n]
					most = max(most, math.Abs(imag(cycle))/max(cmplx.Abs(cycle), math.SmallestNonzeroFloat64))
				}
			}
		}
		around := complex(1, 0)
		for i := range n {
			if v := a[i+(i+1)%n*n]; v != 0 {
				around *= v / complex(cmplx.Abs(v), 0)
			}
		}
		if most = max(most, math.Abs(imag(around))); !(most > 1e-3) &&
			kind.Name() != "harper(0,0)" && kind.Name() != "unitary-clustered" {
			t.Errorf("%s is real up to phases", kind.Name())
		}
	}
}

// TestKnownHermitianSpectra compares the formulas with the eigenvalues of the real matrix [Re −Im;
// Im Re], which has each value twice, by gonum's QR iteration.
func TestKnownHermitianSpectra(t *testing.T) {
	known := 0
	for _, kind := range Hermitians() {
		for _, n := range []int{1, 2, 3, 4, 5, 8, 21, 22} {
			want, ok := kind.Eigenvalues(n)
			if !ok {
				continue
			}
			known++
			if len(want) != n || !slices.IsSorted(want) {
				t.Fatalf("%s, n=%d: %d values, sorted: %v", kind.Name(), n, len(want), slices.IsSorted(want))
			}
			a := kind.Dense(n)
			norm := ratio.Norm1(n, n, a, n)
			_, exponent := math.Frexp(norm)
			real2 := mat.NewSymDense(2*n, nil)
			for i := range n {
				for j := range n {
					re, im := math.Ldexp(real(a[i+j*n]), -exponent), math.Ldexp(imag(a[i+j*n]), -exponent)
					real2.SetSym(min(i, j), max(i, j), re)
					real2.SetSym(n+min(i, j), n+max(i, j), re)
					real2.SetSym(i, n+j, -im)
				}
			}
			var eig mat.EigenSym
			if !eig.Factorize(real2, false) {
				t.Fatalf("%s, n=%d: gonum gave up", kind.Name(), n)
			}
			twice := make([]float64, 0, 2*n)
			for _, v := range want {
				twice = append(twice, v, v)
			}
			if r := ratio.Values(n, times(exponent, eig.Values(nil)), twice, norm); !(r < 20) {
				t.Errorf("%s, n=%d: ratio %.3g", kind.Name(), n, r)
			}
		}
	}
	if known < 300 {
		t.Errorf("only %d known spectra", known)
	}
}
