package ql

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// TestSolveAgreesWithJacobi compares the eigenvalues and eigenvectors of QL iteration with those of
// Jacobi's method, for matrices of very different norms, and checks that the input is not changed.
func TestSolveAgreesWithJacobi(t *testing.T) {
	for _, f := range suite.Families {
		for _, n := range []int{0, 1, 2, 3, 21, 50} {
			name := fmt.Sprintf("%s n=%d", f.Name, n)
			d, e := f.Make(n)
			dIn, eIn := slices.Clone(d), slices.Clone(e)
			values, rows, err := Solve(d, e, true)
			if err != nil {
				t.Fatal(name, err)
			}
			if !slices.Equal(d, dIn) || !slices.Equal(e, eIn) {
				t.Errorf("%s: the input was changed", name)
			}
			z := make([]float64, n*n) // vectors in columns
			for i := range n {
				for j := range n {
					z[i+j*n] = rows[i*n+j]
				}
			}
			want, wantZ := ref.Jacobi(d, e)
			value, angle := suite.Distance(d, e, values, want), suite.Angle(d, e, want, 0, z, wantZ)
			if !(value < suite.Limit && angle < suite.Limit) {
				t.Errorf("%s: values differ by %.3g, vectors by %.3g", name, value, angle)
			}
			if r, o := suite.Ratios(d, e, values, z); !(r < suite.Limit && o < suite.Limit) {
				t.Errorf("%s: residual %.3g, orthogonality %.3g", name, r, o)
			}
			alone, none, err := Solve(d, e, false)
			if err != nil || none != nil || !(suite.Distance(d, e, alone, values) < suite.Limit) {
				t.Errorf("%s: values without vectors differ (%v)", name, err)
			}
		}
	}
}

func TestSolveRefusesNonFinite(t *testing.T) {
	d, e := suite.Random(5)
	d[3] = math.Inf(1)
	var bad *tridiag.NonFiniteError
	if _, _, err := Solve(d, e, false); !errors.As(err, &bad) || bad.Row != 3 || bad.Col != 3 {
		t.Errorf("got %v", err)
	}
}
