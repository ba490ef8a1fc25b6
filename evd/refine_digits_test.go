package evd

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product/moduli"
)

// TestDigitsOfARefinement checks which emulated products the steps of a refinement use. The first step
// needs few digits if the matrix has changed, and more if the vectors were rounded to single
// precision. The update of the vectors needs fewer digits the larger it is.
func TestDigitsOfARefinement(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d := openIn(t, t.TempDir())
	const n = 70
	p, err := NewRefinePlan(d, n, Options{Tuning: waitingTuning(), Products: ProductsEmulated})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	full, err := NewPlan[float64](d, n, Options{Vectors: true, Tuning: waitingTuning()})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	a := randomSym(n)
	solved, err := full.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	errorOf := func(count int) float64 { return moduli.New(count).Error() }
	changed, rounded := a, *solved.Vectors
	changed.Data, rounded.Data = slices.Clone(a.Data), slices.Clone(rounded.Data)
	// The largest eigenvalues of `negative` are tiny: it is −Q·diag(2⁻ʲ)·Qᵀ.
	negative := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: a.Uplo}
	for j := range n {
		for k := range n {
			for i := range n {
				negative.Data[i+j*n] -= math.Ldexp(solved.Vectors.At(i, k)*solved.Vectors.At(j, k), -k)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for i := range changed.Data {
		changed.Data[i] += 1e-4 * r.NormFloat64()
	}
	for i, x := range rounded.Data {
		rounded.Data[i] = float64(float32(x))
	}
	for _, c := range []struct {
		name  string
		a     Sym[float64]
		q     Dense[float64]
		count int // of moduli
	}{{"a changed matrix", changed, *solved.Vectors, 8}, {"rounded vectors", a, rounded, moduli.Rough}, {"tiny largest values", negative, rounded, moduli.Rough}} {
		s := &refinement{RefinePlan: p, Call: p.begin(context.Background(), nil), N: n}
		if _, err := s.load(c.a, c.q); err != nil {
			t.Fatal(err)
		}
		most, err := s.firstError()
		s.Ends()
		if got := p.steps.products.within(most).error; err != nil || got != errorOf(c.count) {
			t.Errorf("%s: %v, products with an error of %.2g, want %d moduli, %.2g", c.name, err, got, c.count, errorOf(c.count))
		}
	}
	for _, c := range []struct{ size, left, want float64 }{
		{0.1, 1e-2, errorOf(6)}, {1e-4, 1e-8, errorOf(8)}, {1e-6, 1e-13, errorOf(moduli.Rough)}, {1, 1e-13, 0}, {0, 1e-13, errorOf(6)},
	} {
		ops := p.steps.products.forUpdate(n, c.size, c.left)
		at := slices.IndexFunc(p.steps.products.all, func(o refineOps) bool { return o.Ops == ops })
		if got := p.steps.products.all[at].error; got != c.want {
			t.Errorf("an update of %g that leaves %g: products with an error of %.2g, want %.2g", c.size, c.left, got, c.want)
		}
	}
}

// TestCouplingsAreTheLargestColumn checks a matrix whose largest column of off-diagonal elements is not the
// last one.
func TestCouplingsAreTheLargestColumn(t *testing.T) {
	block := []float64{9, -3, 2, 0, 1, 9, 1, 0, 0, 0.5, 9, 0} // 3×3, leading dimension 4
	if got := couplings(3, 4, block); got != 5 {
		t.Errorf("%g, not 5", got)
	}
}
