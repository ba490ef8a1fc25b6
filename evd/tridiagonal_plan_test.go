package evd

import (
	"context"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestTridiagonalPlanOnASlowDevice solves a tridiagonal matrix on a device that reports a low
// speed. The matrix product of divide and conquer must be divided into several dispatches, with the
// same bits. In the past, on a device with 0.2 TFLOP/s, the last merge for order 20000 took seconds
// in one dispatch.
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
