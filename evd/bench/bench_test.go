package bench

import (
	"context"
	"os"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

func device(t *testing.T) *vk.Device {
	t.Helper()
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func newBench(t *testing.T, opt Options) *Bench {
	t.Helper()
	b, err := New(context.Background(), device(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// everything is all stages, small.
func everything(orders ...int) Options {
	tune := stages.SmallestTuning()
	return Options{Stages: Stages(), Orders: orders, Repeat: 3, Tuning: &tune}
}

func TestEveryStage(t *testing.T) {
	const n = 40
	opt := everything(n)
	opt.Bands, opt.Cols = []int{3, 4}, []int{5, n}
	b := newBench(t, opt)
	rows, err := b.Measure(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range append(b.Peaks(), rows...) {
		count[r.Stage]++
		if !(r.Min > 0 && r.Min <= r.Median && r.Median <= r.Max) || r.Repeats != opt.Repeat || !(r.Wall > 0) {
			t.Errorf("times of %+v", r)
		}
		if !(r.GFlops+r.GBytes > 0) || !(r.FMAPeak > 0) || !(r.CopyMax > 0) || r.Device == "" || r.Driver == "" {
			t.Errorf("rates or device of %+v", r)
		}
	}
	for stage, want := range map[string]int{
		"peak fma": 1, "peak copy": 1, "gemm": 2, "syr2k": 2, "symm": 2, "panel-qr": 2, "sy2sb": 2, "sb2st": 2,
		"apply-q2": 4, "apply-q1": 4, "stebz": 1, "stedc": 1, "values": 2, "vectors": 2,
	} {
		if count[stage] != want {
			t.Errorf("%d rows of %s, want %d", count[stage], stage, want)
		}
	}
}

func TestSmallOrders(t *testing.T) {
	b := newBench(t, everything(1, 2, 3))
	for _, n := range b.opt.Orders {
		if _, err := b.Measure(context.Background(), n); err != nil {
			t.Errorf("n = %d: %v", n, err)
		}
	}
}
