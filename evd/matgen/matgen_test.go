package matgen

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/ratio"
)

var orders = []int{0, 1, 2, 3, 4, 5, 8, 21, 22, 43}

func TestEveryKindIsWhatItSays(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range Dense() {
		if seen[kind.Name()] {
			t.Errorf("two kinds are named %s", kind.Name())
		}
		seen[kind.Name()] = true
		for _, n := range orders {
			a := kind.Dense(n)
			if len(a) != n*n {
				t.Fatalf("%s, n=%d: %d entries", kind.Name(), n, len(a))
			}
			if !slices.Equal(a, kind.Dense(n)) {
				t.Errorf("%s, n=%d: other bits on the second call", kind.Name(), n)
			}
			for j := range n {
				for i := range n {
					if v := a[i+j*n]; math.IsNaN(v) || math.IsInf(v, 0) || v != a[j+i*n] {
						t.Fatalf("%s, n=%d: entry (%d, %d) is %g, its mirror %g", kind.Name(), n, i, j, v, a[j+i*n])
					}
				}
			}
		}
	}
}

func TestTridiagonalsAgreeWithTheirDenseForm(t *testing.T) {
	for _, kind := range Tridiagonals() {
		for _, n := range orders {
			d, e := kind.Tridiagonal(n)
			if len(d) != n || len(e) != max(0, n-1) {
				t.Fatalf("%s, n=%d: %d and %d entries", kind.Name(), n, len(d), len(e))
			}
			a := kind.AsDense().Dense(n)
			var elsewhere float64
			for j := range n {
				if a[j+j*n] != d[j] || j < n-1 && a[j+1+j*n] != e[j] {
					t.Errorf("%s, n=%d: column %d differs", kind.Name(), n, j)
				}
				for i := j + 2; i < n; i++ {
					elsewhere += math.Abs(a[i+j*n])
				}
			}
			if elsewhere != 0 {
				t.Errorf("%s, n=%d: not tridiagonal", kind.Name(), n)
			}
		}
	}
}

// TestKnownSpectra compares the formulas for spectra with the eigenvalues of gonum's QR iteration.
func TestKnownSpectra(t *testing.T) {
	known := 0
	for _, kind := range Dense() {
		for _, n := range orders {
			want, ok := kind.Eigenvalues(n)
			if !ok {
				continue
			}
			known++
			if len(want) != n || !slices.IsSorted(want) {
				t.Fatalf("%s, n=%d: %d values, sorted: %v", kind.Name(), n, len(want), slices.IsSorted(want))
			}
			if n == 0 {
				continue
			}
			a := kind.Dense(n)
			norm := ratio.Norm1(n, n, a, n)
			_, exponent := math.Frexp(norm) // gonum panics on some matrices that it has to scale
			var eig mat.EigenSym
			if !eig.Factorize(mat.NewSymDense(n, times(-exponent, a)), false) {
				t.Fatalf("%s, n=%d: gonum gave up", kind.Name(), n)
			}
			if r := ratio.Values(n, times(exponent, eig.Values(nil)), want, norm); !(r < 10) {
				t.Errorf("%s, n=%d: ratio %.3g", kind.Name(), n, r)
			}
		}
	}
	if known < 30*len(orders) {
		t.Errorf("only %d known spectra", known)
	}
}

// TestKnownTridiagonalSpectra certifies the formulas for spectra by Sturm counts, without another
// solver.
func TestKnownTridiagonalSpectra(t *testing.T) {
	for _, kind := range Tridiagonals() {
		for _, n := range append(orders, 300) {
			values, ok := kind.Eigenvalues(n)
			if !ok {
				continue
			}
			d, e := kind.Tridiagonal(n)
			if err := ratio.Sturm(d, e, values, 8*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
				t.Errorf("%s, n=%d: %v", kind.Name(), n, err)
			}
		}
	}
}

func TestLapackTypesAreComplete(t *testing.T) {
	for program, last := range map[string]int{"ddrvst": 18, "dchkst": 21} {
		for number := 3; number <= last; number++ {
			shared := program == "dchkst" && number <= 15
			if !shared && !slices.ContainsFunc(lapackTypes, func(t lapackType) bool {
				return t.program == program && t.number == number
			}) {
				t.Errorf("%s has no type %d", program, number)
			}
		}
	}
}

func TestBandsAreBanded(t *testing.T) {
	const n, width = 43, 5
	narrowed := similar(even(n, 1/ulp), seeded("banded", n))
	narrow(n, width, narrowed)
	for name, a := range map[string][]float64{"Band": Band(width).Dense(n), "narrow": narrowed} {
		for j := range n {
			for i := j; i < n; i++ {
				if inside := i-j <= width; inside != (a[i+j*n] != 0) {
					t.Fatalf("%s: entry (%d, %d) is %g", name, i, j, a[i+j*n])
				}
			}
		}
	}
}
