package trials

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// With buffers of one MiB, and of the size of the largest region, the solution of a matrix of order
// 300 has the same bits as with one buffer.
func TestSmallBuffersSolveTheSame(t *testing.T) {
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

// If a Dry device accepts a plan, the device itself accepts it, too, and solves. If it refuses the
// plan, the device refuses it. This holds for any order and any size of the largest buffer.
func TestForecastsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	accepted, refused := 0, 0
	for range 10 {
		limit := uint64(300+rng.IntN(400)) << 10 // what is tried out of the device, once, has 256 KiB
		d := device(t, vk.Options{MaxBuffer: limit})
		for i := range 6 {
			n, opt := 150+rng.IntN(200), evd.Options{Vectors: rng.IntN(2) == 0}
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
			if i == 0 {
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
