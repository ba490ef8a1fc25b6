package stemr

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/ql"
	"github.com/vkevd/vkevd/vk"
)

// TestMRRRTable computes table 1 of Lessig and Bientinesi (PPAM 2009) in double precision: times
// and errors for random matrices with elements in [0, 1] and in [−1, 1]. Errors are in units of
// n·ulp. Those of values and residuals are relative to the norm of T. If VKEVD_DATA is set, the
// test computes the whole table.
func TestMRRRTable(t *testing.T) {
	orders := []int{128}
	if os.Getenv("VKEVD_DATA") != "" {
		orders = []int{128, 256, 512, 1024}
	}
	dev := stagetest.Device(t)
	for _, low := range []float64{0, -1} {
		for _, n := range orders {
			s, err := NewMRRR(dev, n, n, nil, TuningFor(dev.Info()).MRRR)
			if err != nil {
				t.Fatal(err)
			}
			x := vk.Reserve[float64]("X", n*n)
			ws := stagetest.Arena(t, dev, vk.Together(x, s.Work()))
			r := rand.New(rand.NewPCG(uint64(n), 3))
			uniform := func(n int) []float64 {
				v := make([]float64, n)
				for i := range v {
					v[i] = low + (1-low)*r.Float64()
				}
				return v
			}
			d, e := uniform(n), uniform(n-1)
			var took time.Duration
			var values []float64
			for range 2 { // in the first round, the driver still compiles kernels
				began := time.Now()
				var counters MRRRCounters
				if values, counters, _, err = s.Solve(context.Background(), ws, d, e, 0, n,
					stages.NewMatrix(x.In(ws), n, n, n)); err != nil {
					t.Fatal(err)
				}
				took = time.Since(began)
				if counters.Fallback > 0 || counters.Retried > 0 {
					t.Errorf("n = %d: %+v", n, counters)
				}
			}
			xt := stagetest.Get(t, dev, x.In(ws))
			z := make([]float64, n*n)
			for i := range n {
				for j := range n {
					z[i+j*n] = xt[j+i*n]
				}
			}
			want, _, err := ql.Solve(d, e, false)
			if err != nil {
				t.Fatal(err)
			}
			residual, orthogonality := ratio.TridiagonalResidual(d, e, values, z, n), ratio.Orthogonality(n, n, z, n)
			off := ratio.Values(n, values, want, ratio.NormTridiagonal(d, e))
			t.Logf("rand(%g, 1), n = %4d: %8.2f ms, residual %.2g, orthogonality %.2g, eigenvalues off by %.2g, in n·ulp",
				low, n, float64(took.Microseconds())/1e3, residual, orthogonality, off)
			if !(residual < 1) || !(orthogonality < 10) || !(off < 0.5) {
				t.Errorf("n = %d: errors are too large", n)
			}
		}
	}
}
