package bidiagonal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// limit is the largest value of LAPACK's ratios that the tests accept. LAPACK's own tests allow 50.
// The ratios of leaves reach 11, because gonum's dbdsqr replaces an off-diagonal element by zero
// when it is below about 49·ε times a diagonal element.
const limit = 15

func solve(t *testing.T, d, e []float64, leaf int) (values, s, w []float64) {
	t.Helper()
	host := NewHost(len(d))
	values, err := SolveWith(host, d, e, Options{LeafSize: leaf, To: len(d)})
	if err != nil {
		t.Fatal(err)
	}
	return values, host.Result(Left), host.Result(Right)
}

// TestSolveAgreesWithTwin compares the singular values with those of the solver of package ref,
// which shares no code with this package. LAPACK's ratios of the values and vectors must be below
// the limit.
func TestSolveAgreesWithTwin(t *testing.T) {
	var worst suite.BidiagonalRatios
	for _, f := range suite.BidiagonalFamilies {
		for n := 0; n <= 40; n++ {
			d, e := f.Make(n)
			want, _, _ := ref.BidiagonalDivideConquer(d, e, 2)
			for _, leaf := range []int{1, 2, 5, 32} {
				values, s, w := solve(t, d, e, leaf)
				name := fmt.Sprintf("%s n=%d leaf=%d", f.Name, n, leaf)
				r := suite.CheckBidiagonal(d, e, values, s, w, n)
				worst = worst.Max(r)
				if !r.Below(limit) {
					t.Errorf("%s: %v", name, r)
				}
				if n > 0 {
					if off := ratio.Values(n, values, want, want[0]); want[0] != 0 && !(off < limit) {
						t.Errorf("%s: values differ by %g from the twin's", name, off)
					}
				}
			}
		}
	}
	t.Log(worst)
}

// TestSolveRange checks that a solve for a range of vectors gives the same columns as a solve for
// all vectors.
func TestSolveRange(t *testing.T) {
	const n = 37
	for _, f := range suite.BidiagonalFamilies {
		d, e := f.Make(n)
		values, s, w := solve(t, d, e, 3)
		for _, r := range [][2]int{{0, 0}, {0, 1}, {5, 20}, {36, 37}, {0, 37}} {
			host := NewHost(n)
			got, err := SolveWith(host, d, e, Options{LeafSize: 3, From: r[0], To: r[1]})
			if err != nil || !slices.Equal(got, values) {
				t.Fatalf("%s, range %v: other values (%v)", f.Name, r, err)
			}
			if !slices.Equal(host.Result(Left), s[n*r[0]:n*r[1]]) || !slices.Equal(host.Result(Right), w[n*r[0]:n*r[1]]) {
				t.Errorf("%s, range %v: other vectors", f.Name, r)
			}
		}
	}
}

// TestSolveRefusesNaN checks that the error names the place of the one element of the bidiagonal
// matrix that is NaN or infinite.
func TestSolveRefusesNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for place := range 19 {
			d, e := make([]float64, 10), make([]float64, 9)
			want := NonFiniteError{place / 2, (place + 1) / 2}
			if place%2 == 0 {
				d[place/2] = bad
			} else {
				e[place/2] = bad
			}
			_, err := SolveWith(NewHost(10), d, e, Options{LeafSize: 3})
			var refused *NonFiniteError
			if !errors.As(err, &refused) || *refused != want {
				t.Errorf("%g: %v, want %v", bad, err, &want)
			}
		}
	}
}

// TestSolveRefusesRanges checks the message of the panic for ranges of vectors that are not within
// the matrix.
func TestSolveRefusesRanges(t *testing.T) {
	for _, r := range [][2]int{{-1, 2}, {3, 2}, {0, 11}, {11, 11}} {
		func() {
			defer func() {
				if said := recover(); said != "bidiagonal: no such range of vectors" {
					t.Errorf("vectors %d to %d of 10: %v", r[0], r[1], said)
				}
			}()
			SolveWith(NewHost(10), make([]float64, 10), make([]float64, 9), Options{LeafSize: 3, From: r[0], To: r[1]})
		}()
	}
}
