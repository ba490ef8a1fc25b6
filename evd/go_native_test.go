package evd

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestRefusedMatrixIsSolvedNatively solves a matrix, and pretends that emulated products refuse it.
// The plan must solve it with native products, and use native products in later solves. The bits
// must be those of a plan with native products.
func TestRefusedMatrixIsSolvedNatively(t *testing.T) {
	when.Skip(t, when.Quick, "emulated products")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := openIn(t, t.TempDir())
	const n = 40
	tune, a := tuning.Smallest(), randomSym(n)
	opt := Options{Vectors: true, Tuning: &tune, Products: ProductsNative}
	want, err := planOf(t, d, n, opt).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	opt.Products = ProductsEmulated
	p := planOf(t, d, n, opt)
	p.team.BeforeInfo = func(rec *vk.Recorder, phase string, word vk.Slice[uint32]) {
		if phase == stages.PhaseEmulated {
			vk.Fill(rec, word, 3)
		}
	}
	for i := range 2 {
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if !sameBits(res, want) {
			t.Error("the result is not that of native products")
		}
		if first := i == 0; first != (res.Retried != nil) || first && res.Retried.Stage != stages.PhaseEmulated {
			t.Errorf("solve %d: retried because of %v", i, res.Retried)
		}
	}
}
