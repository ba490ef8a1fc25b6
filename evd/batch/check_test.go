package batch_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
)

// TestCheck checks that Check returns small ratios for right spectra, and large ratios for wrong
// spectra.
func TestCheck(t *testing.T) {
	ctx := context.Background()
	for _, part := range []evd.Selection{{}, evd.Index(1, 5)} {
		p := newPlan(t, 30, 10, batch.Options{Vectors: true, Select: part})
		var a []evd.Sym[float64]
		for k, n := range []int{5, 30, 12, 8} {
			a = append(a, named{n: n, full: matgen.Dense()[0].Dense(n)}.symmetric(k%2 == 0))
		}
		a[3].Data[0] = math.NaN()
		s := solve(t, p, a...).Spectra
		s[1].Values[2] += 1e-10
		s[2].Vectors.Data[3] += 1e-10
		ratios, err := p.Check(ctx, a, s)
		if err != nil {
			t.Fatal(err)
		}
		good := []bool{ratios[0].Passed(), ratios[1].Passed(), ratios[2].Passed(), ratios[3].Passed()}
		if !good[0] || good[1] || good[2] || good[3] || ratios[1].Orthogonality > 10 {
			t.Errorf("ratios %+v", ratios)
		}
		if _, err := p.Check(ctx, a[1:], s); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("too many spectra: %v", err)
		}
	}
	values := newPlan(t, 30, 10, batch.Options{})
	if _, err := values.Check(ctx, nil, nil); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("without vectors: %v", err)
	}
}
