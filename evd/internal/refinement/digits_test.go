package refinement

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestDigitsOfARefinement checks which emulated products the steps of a refinement use. The first
// step needs few digits if the matrix has changed, and more if the vectors were rounded to single
// precision. The update of the vectors needs fewer digits the larger it is.
func TestDigitsOfARefinement(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const n = 70
	small := tuning.Smallest()
	p, err := New[float64](d, n, dense.Config{Tuning: &small, Products: emulation.Always})
	if err != nil {
		t.Fatal(err)
	}
	base := plan.Base{Dev: d, N: n, Layout: p.Layout(vk.Together())}
	if err := base.Allocate(); err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	r := rand.New(rand.NewPCG(1, 3))
	a := dense.Triangle[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	sym := mat.NewSymDense(n, nil)
	for j := range n {
		for i := range n {
			a.Data[i+j*n] = r.NormFloat64()
			if i >= j {
				sym.SetSym(i, j, a.Data[i+j*n])
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, true) {
		t.Fatal("gonum did not converge")
	}
	var z mat.Dense
	eigen.VectorsTo(&z)
	solved := dense.Stored[float64]{Columns: vk.Columns[float64]{Rows: n, Cols: n, Ld: n, Data: z.RawMatrix().Data}, Transposed: true}
	errorOf := func(count int) float64 { return moduli.New(count).Error() }
	changed, rounded := a, solved
	changed.Data, rounded.Data = slices.Clone(a.Data), slices.Clone(rounded.Data)
	// The largest eigenvalues of `negative` are tiny: it is −Q·diag(2⁻ʲ)·Qᵀ.
	negative := dense.Triangle[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for k := range n {
			for i := range n {
				negative.Data[i+j*n] -= math.Ldexp(z.At(i, k)*z.At(j, k), -k)
			}
		}
	}
	for i := range changed.Data {
		changed.Data[i] += 1e-4 * r.NormFloat64()
	}
	for i, x := range rounded.Data {
		rounded.Data[i] = float64(float32(x))
	}
	for _, c := range []struct {
		name  string
		a     dense.Triangle[float64]
		q     dense.Stored[float64]
		count int // expected number of moduli
	}{{"a changed matrix", changed, solved, 8}, {"rounded vectors", a, rounded, moduli.Rough}, {"tiny largest values", negative, rounded, moduli.Rough}} {
		s := NewIteration(p, base.Begin(context.Background(), nil), nil)
		if _, err := s.Load(c.a, c.q); err != nil {
			t.Fatal(err)
		}
		most, err := s.firstError()
		s.Ends()
		if got := p.products.within(most).error; err != nil || got != errorOf(c.count) {
			t.Errorf("%s: %v, products with an error of %.2g, want %d moduli, %.2g", c.name, err, got, c.count, errorOf(c.count))
		}
	}
	for _, c := range []struct{ size, left, want float64 }{
		{0.1, 1e-2, errorOf(6)}, {1e-4, 1e-8, errorOf(8)}, {1e-6, 1e-13, errorOf(moduli.Rough)}, {1, 1e-13, 0}, {0, 1e-13, errorOf(6)},
	} {
		ops := p.products.forUpdate(n, c.size, c.left)
		at := slices.IndexFunc(p.products.all, func(o operations[float64]) bool { return o.Ops == ops })
		if got := p.products.all[at].error; got != c.want {
			t.Errorf("an update of %g that leaves %g: products with an error of %.2g, want %.2g", c.size, c.left, got, c.want)
		}
	}
}

// TestCouplingsAreTheLargestColumn checks the function couplings for a matrix in which the column
// with the largest sum of |off-diagonal elements| is not the last one.
func TestCouplingsAreTheLargestColumn(t *testing.T) {
	block := []float64{9, -3, 2, 0, 1, 9, 1, 0, 0, 0.5, 9, 0} // 3×3, leading dimension 4
	if got := couplings(3, 4, block); got != 5 {
		t.Errorf("%g, not 5", got)
	}
}
