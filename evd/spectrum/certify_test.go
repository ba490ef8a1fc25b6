package spectrum

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestCertifyEndsForADamagedNorm gives Certify a norm that is NaN. The norm is NaN if the
// tridiagonal matrix has a NaN. Certify must return +Inf. It once ran without end.
func TestCertifyEndsForADamagedNorm(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	tune := tuning.On(d.Info())
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(d, 3, Options{Solver: Bisection}, true, ops, tune)
	if err != nil {
		t.Fatal(err)
	}
	b := plan.Base{Dev: d, N: 3, Layout: vk.Together(append(s.Always(), s.Work())...)}
	if err := b.Allocate(); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := b.Begin(context.Background(), nil)
	if err := c.Run(func(rec *vk.Recorder) {
		s.Send(rec, c.Arena, Tridiagonal{[]float64{1, 2, 3}, []float64{0, 0}})
	}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct{ values, norm, want float64 }{{0, 3, 4.0 / 3}, {0, math.NaN(), math.Inf(1)}, {100, math.NaN(), math.Inf(1)}} {
		got, err := s.Certify(c, []float64{1 + k.values, 2 + k.values, 3 + k.values}, 0, k.norm, Ulp)
		if err != nil || got != k.want {
			t.Errorf("values off by %g, norm %g: %g, %v, want %g", k.values, k.norm, got, err, k.want)
		}
	}
}
