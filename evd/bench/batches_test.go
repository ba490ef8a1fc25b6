package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestBatches measures batches of 3 and of 5 matrices of order 20. For the order 100000, which is
// too large for a batch, Measure must return an error.
func TestBatches(t *testing.T) {
	tune := tuning.Smallest()
	opt := Options{
		Stages: []string{"batch-values", "batch"}, Orders: []int{20, 100000}, Counts: []int{3, 5}, Repeat: 2,
		Variants: []tuning.Variant{{Tuning: tune}},
	}
	b := newBench(t, opt)
	var runs []string
	b.opt.Progress = func(what string) { runs = append(runs, what) }
	rows, err := b.Measure(context.Background(), 20)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, r := range rows {
		found = append(found, fmt.Sprint(r.Stage, " ", r.N, r.B, r.K, r.M, r.Count, r.Repeats))
		if !(r.Min > 0 && r.Wall > 0 && r.GFlops > 0 && r.GBytes > 0) {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"batch 20 0 0 0 3 2", "batch 20 0 0 0 5 2", "batch-values 20 0 0 0 3 2", "batch-values 20 0 0 0 5 2"}; !slices.Equal(found, want) {
		t.Errorf("rows %q, want %q", found, want)
	}
	if len(runs) != 4*3 || runs[1] != "batch, n = 20, count = 5" {
		t.Errorf("runs %q", runs)
	}
	rows, err = b.Measure(context.Background(), 100000)
	if len(rows) > 0 || err == nil || !strings.Contains(err.Error(), "batch, n = 100000, count = 3: order 100000 is too large, at most ") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestSinglePeak checks that batches of float32 are compared with the peak rate of single precision,
// which is measured without the stage "peaks", too.
func TestSinglePeak(t *testing.T) {
	b := newBench(t, Options{
		Stages: []string{"batch"}, Orders: []int{20}, Counts: []int{3}, Repeat: 1, Single: true,
		Variants: []tuning.Variant{{Tuning: tuning.Smallest()}},
	})
	rows, err := b.Measure(context.Background(), 20)
	if err != nil {
		t.Fatal(err)
	}
	peaks := b.Peaks()
	if len(peaks) != 3 || peaks[2].Stage != "peak fp32" || len(rows) != 1 || rows[0].FMAPeak != peaks[2].GFlops {
		t.Errorf("peaks %+v, rows %+v", peaks, rows)
	}
}

// TestComplexBatches measures batches of complex matrices in both precisions. The numbers of bytes
// are those of complex matrices and of real values.
func TestComplexBatches(t *testing.T) {
	for _, single := range []bool{false, true} {
		b := newBench(t, Options{
			Stages: []string{"batch", "batch-values"}, Orders: []int{20}, Counts: []int{3}, Repeat: 1, Complex: true, Single: single,
			Variants: []tuning.Variant{{Tuning: tuning.Smallest()}},
		})
		rows, err := b.Measure(context.Background(), 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if !r.Complex || r.Single != single || !(r.Min > 0 && r.GFlops > 0 && r.GBytes > 0) {
				t.Errorf("%+v", r)
			}
		}
		if len(rows) != 2 {
			t.Errorf("%d rows", len(rows))
		}
	}
}

func TestUsualCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		kind string
		want int
	}{{1, "discrete", 100000}, {16, "discrete", 50000}, {100, "discrete", 1677}, {512, "discrete", 50}, {512, "cpu", 1}, {64, "cpu", 50}} {
		if got := usualCount(c.n, vk.Info{Type: c.kind}); got != c.want {
			t.Errorf("%d of order %d, not %d", got, c.n, c.want)
		}
	}
}

// TestSingleStages checks that the list SingleStages has all stages except those that solve
// batches.
func TestSingleStages(t *testing.T) {
	if single, all := SingleStages(), Stages(); len(single) != len(all)-2 || slices.Contains(single, "batch") || !slices.Contains(single, "values") {
		t.Errorf("%q of %q", single, all)
	}
}
