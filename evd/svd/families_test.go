package svd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// turned returns the m×n matrix H1·[C; 0]·H2, where C is the bidiagonal matrix with diagonal d and
// off-diagonal e. H1 and H2 are random Householder reflectors. If `turn` is false, H1 and H2 are
// identities.
func turned(m int, d, e []float64, turn bool) evd.Dense[float64] {
	n := len(d)
	a := evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: make([]float64, m*n)}
	for i := range n {
		a.Data[i+i*m] = d[i]
		if i+1 < n {
			a.Data[i+(i+1)*m] = e[i]
		}
	}
	if !turn {
		return a
	}
	scale := suite.Scale(d, e)
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	unit := func(k int) []float64 {
		x, sum := make([]float64, k), 0.0
		for i := range x {
			x[i] = r.NormFloat64()
			sum += x[i] * x[i]
		}
		for i := range x {
			x[i] /= math.Sqrt(sum)
		}
		return x
	}
	h := func(x, v []float64, stride int) { // x ← (I − 2·v·vᵀ)·x
		dot := 0.0
		for i := range v {
			dot += v[i] * (x[i*stride] / scale)
		}
		for i := range v {
			x[i*stride] = (x[i*stride]/scale - 2*dot*v[i]) * scale
		}
	}
	u, v := unit(m), unit(n)
	for j := range n {
		h(a.Data[j*m:], u, 1)
	}
	for i := range m {
		h(a.Data[i:], v, m)
	}
	return a
}

// TestBidiagonalFamilies solves bidiagonal matrices that are known to be difficult, among them
// those of LAPACK's test dchkbd. The test solves each matrix as it is, and also multiplied by
// random reflectors. Some matrices are rank-deficient, graded or clustered, some have zeros on the
// diagonal, and some have entries near overflow or underflow.
func TestBidiagonalFamilies(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	small := tuning.Smallest()
	for i, shape := range [][2]int{{2, 2}, {40, 33}, {50, 50}, {107, 50}} {
		m, n := shape[0], shape[1]
		opt := Options{U: Thin, V: Thin, Tuning: &small}
		if i%2 == 1 {
			opt.U = Full
		}
		p, err := NewPlan[float64](testDevice(t), m, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range suite.BidiagonalFamilies {
			d, e := f.Make(n)
			for _, turn := range []bool{false, true} {
				a := turned(m, d, e, turn)
				what := fmt.Sprintf("%d×%d %s, turned %v", m, n, f.Name, turn)
				res, err := p.Solve(context.Background(), a)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				g := mat.NewDense(m, n, nil)
				g.Apply(func(i, j int, _ float64) float64 { return a.At(i, j) }, g)
				decomposed(t, what, g, opt, res)
			}
		}
		p.Close()
	}
}
