package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func deviceName() string { return os.Getenv("VKEVD_DEVICE") }

func device(t *testing.T) *vk.Device {
	t.Helper()
	d, err := vk.Open(vk.Options{Device: deviceName(), Kernels: true})
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

// everything returns options that measure all stages, with the smallest tuning.
func everything(orders ...int) Options {
	tune := tuning.Smallest()
	return Options{Stages: Stages(), Orders: orders, Counts: []int{4}, Repeat: 3, Variants: []tuning.Variant{{Tuning: tune}}}
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
		"peak fma": 1, "peak copy": 1, "peak fp32": 1, "peak dot8": 1, "gemm": 2, "syr2k": 2, "symm": 2, "share-symm": 2, "potrf": 1, "emulated-potrf": 1, "sygst": 1, "emulated-sygst": 1, "trsm": 2, "emulated-trsm": 2, "panel-qr": 2, "sy2sb": 2, "sb2st": 2,
		"apply-q2": 4, "apply-q2-squares": 4, "apply-q1": 4, "emulated-apply-q1": 4, "stebz": 1, "stedc": 1, "stedc-values": 1, "stemr": 2, "values": 2, "vectors": 2,
		"sygv": 2, "sygv-vectors": 2, "emulated-sygv": 2, "emulated-sygv-vectors": 2, "ge2tb": 2, "tb2bd": 2, "gbbrd": 2, "bdsdc": 1, "svd": 2, "svd-vectors": 2, "batch": 1, "batch-values": 1,
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

func TestVariantsTakeTurns(t *testing.T) {
	tune := tuning.Smallest()
	other := tune
	other.Band, other.Block = 2, 6
	impossible := tune
	impossible.ApplyQ2.Batch = 3
	opt := Options{Stages: []string{"sy2sb", "apply-q2"}, Orders: []int{20}, Repeat: 2, Variants: []tuning.Variant{{Tuning: tune}, {Name: "other", Tuning: other}, {Name: "impossible", Tuning: impossible}}}
	var seen []string
	opt.Progress = func(what string) { seen = append(seen, what) }
	rows, err := newBench(t, opt).Measure(context.Background(), 20)
	if err == nil || !strings.Contains(err.Error(), "apply-q2, n = 20, b = 4, k = 8, m = 20, impossible: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	var found []string
	for _, r := range rows {
		found = append(found, fmt.Sprint(r.Stage, r.B, r.K, r.Tuning))
	}
	if want := []string{"sy2sb4 8", "sy2sb2 6other", "sy2sb4 8impossible", "apply-q24 0", "apply-q22 0other"}; !slices.Equal(found, want) {
		t.Errorf("rows %q, want %q", found, want)
	}
	round := []string{"sy2sb, n = 20", "sy2sb, n = 20, other", "sy2sb, n = 20, impossible", "apply-q2, n = 20", "apply-q2, n = 20, other"}
	if want := slices.Repeat(round, 1+opt.Repeat); !slices.Equal(seen, want) {
		t.Errorf("in the order %q, want %q", seen, want)
	}
}

// TestFirstRunsDoNotCount checks that the first run of each measurement does not count, even if the
// warm-up time is over before. The first run may include the time in which the driver compiles
// kernels.
func TestFirstRunsDoNotCount(t *testing.T) {
	tune := tuning.Smallest()
	opt := Options{
		Stages: []string{"sy2sb", "apply-q2"}, Orders: []int{20}, Repeat: 2, WarmUp: time.Nanosecond,
		Variants: []tuning.Variant{{Tuning: tune}, {Name: "again", Tuning: tune}},
	}
	b := newBench(t, opt)
	runs := map[string]int{}
	b.opt.Progress = func(what string) { runs[what]++ }
	rows, err := b.Measure(context.Background(), 20)
	if err != nil || len(rows) != 4 || len(runs) != 4 {
		t.Fatal(rows, runs, err)
	}
	for what, got := range runs {
		if got != 1+opt.Repeat {
			t.Errorf("%s ran %d times for %d samples", what, got, opt.Repeat)
		}
	}
	for _, r := range rows {
		if r.Repeats != opt.Repeat {
			t.Errorf("%d samples of %s%s", r.Repeats, r.Stage, r.Tuning)
		}
	}
}

// TestOneStageFails makes one measurement fail. The other measurements must still be taken.
func TestOneStageFails(t *testing.T) {
	opt := everything(20)
	opt.Stages, opt.Bands = []string{"panel-qr", "syr2k"}, []int{4, 1000}
	b := newBench(t, opt)
	var seen []string
	b.opt.Progress = func(what string) { seen = append(seen, what) }
	rows, err := b.Measure(context.Background(), 20)
	if err == nil || !strings.HasPrefix(err.Error(), "panel-qr, n = 20, b = 1000") {
		t.Errorf("error %v", err)
	}
	if len(rows) != 2+1 || len(seen) != 3*(1+opt.Repeat) || seen[0] != "syr2k, n = 20" {
		t.Errorf("%d rows, %q", len(rows), seen)
	}
}

func TestCancelled(t *testing.T) {
	b := newBench(t, everything(20))
	ctx, cancel := context.WithCancel(context.Background())
	b.opt.WarmUp = time.Hour
	b.opt.Progress = func(string) { cancel() }
	if rows, err := b.Measure(ctx, 20); !errors.Is(err, context.Canceled) || rows != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if details, err := b.Profile(ctx, 20); !errors.Is(err, context.Canceled) || details != nil {
		t.Errorf("%d details, %v", len(details), err)
	}
}

func TestProfileHasKernels(t *testing.T) {
	opt := everything(30)
	opt.Stages = []string{"sy2sb", "stedc"}
	details, err := newBench(t, opt).Profile(context.Background(), 30)
	if err != nil || len(details) != 2 {
		t.Fatalf("%d details, %v", len(details), err)
	}
	for _, d := range details {
		if len(d.Profile.Kernels) < 3 || !(d.Row.Median > 0) {
			t.Errorf("%+v: kernels %v", d.Row, d.Profile.Kernels)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, o := range []Options{
		{Repeat: 1}, {Stages: []string{"peaks"}}, {Stages: []string{"gemm"}, Repeat: 1},
		{Stages: []string{"gemm"}, Orders: []int{0}, Repeat: 1}, {Stages: []string{"peaks"}, Cols: []int{-1}, Repeat: 1},
	} {
		if o.Check() == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
	var unknown *UnknownStageError
	if err := (Options{Stages: []string{"gemm", "gems"}}).Check(); !errors.As(err, &unknown) || unknown.Stage != "gems" {
		t.Errorf("error %v", err)
	}
	if err := (Options{Stages: []string{"peaks"}, Repeat: 1}).Check(); err != nil {
		t.Error(err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{5, 9, 1}, 5}, {[]float64{4, 1, 2, 100}, 3}} {
		if got := median(c.of); got != c.want {
			t.Errorf("median of %v is %g", c.of, got)
		}
	}
}
