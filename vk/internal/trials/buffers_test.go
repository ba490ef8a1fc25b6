package trials

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// A solve of order 300 is repeated with small device buffers: buffers of at most 1 MiB, and buffers
// as large as the largest region. The results have the same bits as those of a solve with one
// buffer. TestPagesSolveTheSame does the same with regions that are larger than a buffer.
func TestSmallBuffersSolveTheSame(t *testing.T) {
	when.Skip(t, when.Slow, "the same kernels in other memory")
	ctx := context.Background()
	const n = 300
	plain := device(t, vk.Options{})
	for _, vectors := range []bool{true, false} {
		a, opt := random(n, 3), evd.Options{Vectors: vectors}
		largest := uint64(0)
		solve := func(d *vk.Device) *evd.Result[float64] {
			p, err := evd.NewPlan[float64](d, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			for _, r := range p.Memory() {
				largest = max(largest, r.Bytes)
			}
			res, err := p.Solve(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		want := solve(plain)
		for _, limit := range []uint64{1 << 20, (largest + 255) &^ 255} {
			if !same(solve(device(t, vk.Options{MaxBuffer: limit})), want) {
				t.Errorf("buffers of %d bytes, vectors %v: other bits", limit, vectors)
			}
		}
	}
}

// A Dry device forecasts whether the memory of a plan fits. The test compares this forecast with a
// real device, for random sizes of the largest buffer and random orders, some of which are too
// large for the memory. If the Dry device accepts a plan, the real device must accept the plan.
// Some of these plans then solve a matrix. If the Dry device refuses a plan, the real device must
// refuse it, too.
//
// With the smaller limits, all matrices of the solves are paged. The pages have 1 KiB, as in
// TestPagesSolveTheSame, so that both tests compile the same kernels. With the larger limits, the
// solves have several buffers and no pages.
func TestForecastsHold(t *testing.T) {
	when.Skip(t, when.Slow, "values of forecasts")
	rng := rand.New(rand.NewPCG(7, 8))
	accepted, refused := 0, 0
	for k := range 10 {
		limit := uint64(16<<10 + rng.IntN(16<<10))
		if k%2 == 1 {
			limit = uint64(400+rng.IntN(400)) << 10
		}
		d := device(t, vk.Options{MaxBuffer: limit})
		for i := range 6 {
			n, opt := 100+rng.IntN(120), evd.Options{Vectors: rng.IntN(2) == 0}
			if i > 0 && rng.IntN(3) == 0 {
				n *= 5000
			}
			_, forecast := evd.NewPlan[float64](vk.Dry(d.Info()), n, opt)
			p, err := evd.NewPlan[float64](d, n, opt)
			if (err == nil) != (forecast == nil) {
				t.Fatalf("n = %d, buffers of %d bytes: forecast %v, plan %v", n, limit, forecast, err)
			}
			if err != nil {
				if !errors.As(err, new(*vk.OutOfMemoryError)) {
					t.Fatal(err)
				}
				refused++
				continue
			}
			accepted++
			if i == 0 && (k < 3 || everything()) { // each device compiles its kernels anew
				if _, err := p.Solve(context.Background(), random(n, 1)); err != nil {
					t.Errorf("n = %d, buffers of %d bytes: %v", n, limit, err)
				}
			}
			p.Close()
		}
	}
	if accepted < 20 || refused < 10 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
