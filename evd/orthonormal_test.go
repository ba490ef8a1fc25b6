package evd_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestMRRRIsOrthonormal solves matrices whose vectors MRRR alone finds with an orthogonality of 14
// to 42 (only one of the complex ones with less). The vectors of eigenvalues with small relative
// distances are orthogonal only to a multiple of ulp divided by these distances.
func TestMRRRIsOrthonormal(t *testing.T) {
	d := device(t, vk.Options{})
	for _, c := range []struct {
		kind     matgen.TridiagonalKind
		n        int
		from, to int
	}{
		{matgen.GradedTridiagonal(20), 96, 0, 96}, {matgen.GradedTridiagonal(-20), 96, 32, 64},
	} {
		t.Run(c.kind.Name(), func(t *testing.T) {
			diagonal, off := c.kind.Tridiagonal(c.n)
			opt := evd.Options{Solver: evd.MRRR, Vectors: true, Select: evd.Index(c.from, c.to), Tuning: small()}
			m := evd.Tridiagonal[float64]{D: diagonal, E: off}
			solveTridiagonal(t, tridiagonalPlan(t, d, c.n, opt), m, ratio.Within("bisection"))
		})
	}
	for _, c := range []struct {
		kind string
		n    int
	}{{"ddrvst-09-full", 21}, {"dchkst-17-full", 21}, {"dchkst-17-full", 128}} {
		kind := dense(c.kind)
		name := fmt.Sprintf("%s/%d", c.kind, c.n)
		t.Run("real/"+name, func(t *testing.T) { orthonormal(t, d, c.n, kind.Dense(c.n)) })
		t.Run("complex/"+name, func(t *testing.T) { orthonormal(t, d, c.n, matgen.Phased(kind).Dense(c.n)) })
	}
}

func dense(name string) matgen.DenseKind {
	all := matgen.Dense()
	return all[slices.IndexFunc(all, func(k matgen.DenseKind) bool { return k.Name() == name })]
}

// orthonormal solves by MRRR with Options.Verify, and requires good ratios, in the certificate,
// too.
func orthonormal[T double](t *testing.T, d *vk.Device, n int, a []T) {
	t.Helper()
	p, err := evd.NewPlan[T](d, n, evd.Options{Solver: evd.MRRR, Vectors: true, Verify: true, Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), evd.Sym[T]{N: n, Ld: n, Data: slices.Clone(a)})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, n, a, res)
	if c := res.Certificate; c.Safe || !(c.Orthogonality < good) {
		t.Errorf("certificate %+v", c)
	}
}

// TestFewDistinctRowsAreOrthonormal solves adjacency matrices of three disjoint cliques. Such a
// matrix has three distinct rows, apart from its diagonal. Without the correction by
// spectrum.Orthonormal, emulated products gave an orthogonality of 2.8 for order 300, and of about
// 25 for order 1000. At order 300, more moduli did not help.
func TestFewDistinctRowsAreOrthonormal(t *testing.T) {
	when.Skip(t, when.Quick, "it builds emulated products")
	d := device(t, vk.Options{})
	const n = 300
	// Devices round differently, and an orthogonality below 2.5 is not corrected.
	t.Run("real", func(t *testing.T) { fewDistinctRows(t, d, n, 2.5, threeCliques[float64](n, 1)) })
	t.Run("complex", func(t *testing.T) { fewDistinctRows(t, d, n, 2.5, threeCliques(n, 1i)) })
	t.Run("two devices", func(t *testing.T) { // vectors of different devices are not corrected
		fewDistinctRows(t, d, n, good, threeCliques[float64](n, 1), device(t, vk.Options{}))
	})
	t.Run("1000", func(t *testing.T) {
		when.Long(t, "the same as order 300")
		fewDistinctRows(t, d, 1000, good, threeCliques[float64](1000, 1))
	})
}

func fewDistinctRows[T double](t *testing.T, d *vk.Device, n int, limit float64, a []T, others ...*vk.Device) {
	for _, rowMajor := range []bool{false, true} {
		opt := evd.Options{Vectors: true, Products: evd.ProductsEmulated, RowMajor: rowMajor, Devices: others}
		p, err := evd.NewPlan[T](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), evd.Sym[T]{N: n, Ld: n, Data: slices.Clone(a)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Check(context.Background(), evd.Sym[T]{N: n, Ld: n, Data: a}, res)
		if err != nil || !(r.Residual < good && r.Orthogonality < limit) {
			t.Errorf("row-major %v: %+v, %v", rowMajor, r, err)
		}
		p.Close()
	}
}

// threeCliques returns the adjacency matrix of cliques of n/2, n/3 and the other vertices, in
// random order. Each edge has the weight `unit` from the lower to the higher number, and its
// conjugate in the other direction.
func threeCliques[T double](n int, unit T) []T {
	clique := make([]int, n)
	for i := n / 2; i < n; i++ {
		if clique[i] = 1; i >= n/2+n/3 {
			clique[i] = 2
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { clique[i], clique[j] = clique[j], clique[i] })
	a := make([]T, n*n)
	for i := range n {
		for j := range i {
			if clique[i] == clique[j] {
				a[i+j*n], a[j+i*n] = unit, 1/unit // conj(unit), because |unit| = 1
			}
		}
	}
	return a
}
