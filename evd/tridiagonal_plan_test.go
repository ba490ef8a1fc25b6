package evd

import (
	"context"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestTridiagonalPlanOnASlowDevice checks that a slow device computes a product in several
// dispatches, also for a tridiagonal matrix. The bits must not change. The last merge for order
// 20000 once took seconds in one dispatch, on a device with 0.2 TFLOP/s.
func TestTridiagonalPlanOnASlowDevice(t *testing.T) {
	const n = 70
	was := rateOf
	defer func() { rateOf = was }()
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	var first *Result[float64]
	for _, rate := range []float64{0, 1e5} {
		rateOf = func(*vk.Device) (float64, error) { return rate, nil }
		small := tuning.Smallest()
		p, err := NewTridiagonalPlan[float64](verifyDevice(t), n, Options{Vectors: true, Solver: DivideConquer, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		if want := small.Bounded(rate).Products.Dispatch; p.tune.Products.Dispatch != want {
			t.Errorf("rate %g: a product may have %g flops a dispatch, want %g", rate, p.tune.Products.Dispatch, want)
		}
		res, err := p.Solve(context.Background(), Tridiagonal[float64]{D: diagonal, E: off})
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = res
		} else if !slices.Equal(res.Values, first.Values) || !slices.Equal(res.Vectors.Data, first.Vectors.Data) {
			t.Error("other bits on a slow device")
		}
	}
}
