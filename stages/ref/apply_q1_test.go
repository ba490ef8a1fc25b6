package ref

import (
	"fmt"
	"slices"
	"testing"
)

// TestApplyQ1AndQ2 checks ApplyQ1 and ApplyQ2, which multiply vectors X by a matrix Q, in two ways.
// Q·X for some columns of X must be the same columns of Q·X for all columns. Qᵀ, formed from the
// identity, must be the transpose of Q. The tests of the reductions check Q itself.
func TestApplyQ1AndQ2(t *testing.T) {
	eachShape(func(n, b, k int) {
		if n%7 != 1 {
			return
		}
		y := lowerOnly(n, gaussSymmetric(n, 5), n)
		band, tf := BandReduction(n, b, k, y, n)
		_, _, v, tau := BulgeChasing(n, b, band)
		for name, apply := range map[string][2]func(m int, x []float64, ldx int){
			"Q1": {
				func(m int, x []float64, ldx int) { ApplyQ1(n, b, y, n, tf, m, x, ldx) },
				func(m int, x []float64, ldx int) { ApplyQ1Transposed(n, b, y, n, tf, m, x, ldx) },
			},
			"Q2": {
				func(m int, x []float64, ldx int) { ApplyQ2(n, b, v, tau, m, x, ldx) },
				func(m int, x []float64, ldx int) { ApplyQ2Transposed(n, b, v, tau, m, x, ldx) },
			},
		} {
			q, qt := eye(n, n), eye(n, n)
			apply[0](n, q, n)
			apply[1](n, qt, n)
			turned := make([]float64, n*n)
			for j := range n {
				for i := range n {
					turned[j+i*n] = q[i+j*n]
				}
			}
			agree(t, name+"ᵀ", n, n, qt, turned, n)

			ldx := n + 1
			for m := range min(n, 3) {
				x := eye(n, ldx)[:m*ldx]
				apply[0](m, x, ldx)
				for j := range m {
					if !slices.Equal(x[j*ldx:j*ldx+n], q[j*n:j*n+n]) {
						t.Errorf("%s, n=%d b=%d: column %d of %d depends on the others", name, n, b, j, m)
					}
				}
				if !untouched(n, m, x, ldx) {
					t.Errorf("%s, n=%d b=%d m=%d: padding written", name, n, b, m)
				}
			}
		}
	})
}

// TestApplyQ2Squares checks that products with squares of all sizes give Q2, which ApplyQ2 forms
// from the identity.
func TestApplyQ2Squares(t *testing.T) {
	for _, b := range []int{2, 3, 5} {
		for _, n := range []int{1, 2, 3, 4, 7, 12, 20, 31} {
			y := lowerOnly(n, gaussSymmetric(n, 5), n)
			band, _ := BandReduction(n, b, 2*b, y, n)
			_, _, v, tau := BulgeChasing(n, b, band)
			want := eye(n, n)
			ApplyQ2(n, b, v, tau, n, want, n)
			for _, sweeps := range []int{1, 2, 4, 9, 40} {
				for _, steps := range []int{1, 2, 5} {
					got := eye(n, n)
					ApplyQ2Squares(n, b, sweeps, steps*b, v, tau, n, got, n)
					agree(t, fmt.Sprintf("b=%d, %d sweeps, %d steps", b, sweeps, steps), n, n, got, want, n)
				}
			}
		}
	}
}
