package evd_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TestRefineSizes refines vectors of random matrices of the orders in VKEVD_SIZES. The vectors are
// rounded to single precision, or belong to a matrix that differs by 10⁻⁴·‖A‖. The products are
// emulated or native. TestRefineSizes prints the time of each phase. It is meant for GPUs:
//
//	VKEVD_SIZES=4096,8192 go test ./evd -run TestRefineSizes -v
func TestRefineSizes(t *testing.T) {
	orders := sizes(t)
	d := device(t, vk.Options{})
	t.Logf("%s, %s %s", d.Info().Name, d.Info().Driver, d.Info().DriverVersion)
	for _, n := range orders {
		refineLarge(t, d, random(n))
	}
}

func refineLarge(t *testing.T, d *vk.Device, a evd.Sym[float64]) {
	ctx, n := context.Background(), a.N
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	cold, err := p.Solve(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("n = %d: cold %.1f ms", n, 1e3*cold.Profile.Total())
	rng := rand.New(rand.NewPCG(2, uint64(n)))
	for _, single := range []bool{true, false} {
		change, q := 1e-4, *cold.Vectors
		if single {
			change, q.Data = 3*0x1p-23, slices.Clone(q.Data)
			for i, x := range q.Data {
				q.Data[i] = float64(float32(x))
			}
		}
		near := a
		near.Data = slices.Clone(a.Data)
		for j := range n {
			for i := j; i < n; i++ {
				near.Data[i+j*n] += change * rng.NormFloat64()
			}
		}
		for _, products := range []evd.Products{evd.ProductsEmulated, evd.ProductsNative} {
			r, err := evd.NewRefinePlan[float64](d, n, evd.Options{Products: products})
			if err != nil {
				t.Fatal(err)
			}
			for round := range 2 { // the first round warms up the device and the caches
				began := time.Now()
				res, err := r.Refine(ctx, near, q)
				if err != nil {
					t.Fatal(err)
				}
				clock := time.Since(began)
				if round == 0 {
					continue
				}
				t.Logf("  single %v, %v: %.1f ms in stages, %.0f ms on the clock, %.2f GB: %+v", single, products,
					1e3*res.Profile.Total(), 1e3*clock.Seconds(), float64(r.Bytes())/1e9, *res.Refinement)
				for _, s := range res.Profile.Phases {
					t.Logf("    %-32s %10.3f ms  ×%d", s.Name, 1e3*s.Seconds, s.Count)
				}
				ratios, err := p.Check(ctx, near, res)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("    residual %.3g, orthogonality %.3g", ratios.Residual, ratios.Orthogonality)
				if !(ratios.Residual < 10 && ratios.Orthogonality < 10) {
					t.Errorf("ratios %+v", ratios)
				}
			}
			r.Close()
		}
	}
}
