package evd_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestDividedPlansShareDevices solves with two plans that divide matrices among the same devices,
// from two goroutines. The first device of one plan is the second device of the other plan. While a
// solve uses one device, it waits for the other one. If each plan had one device and waited for the
// other device, both would wait without end.
func TestDividedPlansShareDevices(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d, e := device(t, vk.Options{}), device(t, vk.Options{})
	const n, rounds = 60, 6
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	a := evd.NewSym(n, full(random(n)), evd.Lower)
	var all sync.WaitGroup
	for _, devices := range [][2]*vk.Device{{d, e}, {e, d}} {
		p, err := evd.NewPlan[float64](devices[0], n, severally(evd.Options{Vectors: true, Distribute: true, Tuning: small()}, devices[1]))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		all.Go(func() {
			for range rounds {
				if _, err := p.Solve(ctx, a); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestProgressUsesAnotherDevice solves with another plan on the second device while the first plan
// reports its progress. The first device's Run must not wait for the report, because the second
// device, for which the report waits, may wait for the first one.
func TestProgressUsesAnotherDevice(t *testing.T) {
	when.Pick(t, when.Race)
	when.Skip(t, when.Quick, "it builds plans on two devices")
	d, e := device(t, vk.Options{Batch: time.Nanosecond}), device(t, vk.Options{Batch: time.Nanosecond})
	const n = 40
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	a := evd.NewSym(n, full(random(n)), evd.Lower)
	other, err := evd.NewPlan[float64](e, n, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	solves := 0
	opt := severally(evd.Options{Vectors: true, Distribute: true, Tuning: small()}, e)
	opt.Progress = func(evd.Progress) {
		if solves++; solves <= 5 {
			if _, err := other.Solve(ctx, a); err != nil {
				t.Error(err)
			}
		}
	}
	p, err := evd.NewPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Solve(ctx, a); err != nil {
		t.Error(err)
	}
	if solves == 0 {
		t.Error("no progress was reported")
	}
}
