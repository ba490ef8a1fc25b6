package pencil

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// TestProgressOfPairs checks the progress of each method and each call. Progress.Done must never
// decrease, all phases of the forecast must be reported, and Done must be equal to Total in the
// last report, and not before the last phase.
func TestProgressOfPairs(t *testing.T) {
	const n = 40
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, pr := context.Background(), newPair[float64](n, 1e6, true)
	whole, _ := dependent[float64](n, 3, false)
	for _, opt := range []Options{
		{}, {Vectors: true}, {Verify: true}, {Vectors: true, Verify: true}, {Vectors: true, Refine: true}, {Vectors: true, Verify: true, Refine: true},
		{Vectors: true, Verify: true, Type: BAxLx}, {Overlap: Overlap{Canonical: true}}, {Vectors: true, Overlap: Overlap{Canonical: true}},
		{Vectors: true, Verify: true, Overlap: Overlap{Canonical: true}},
	} {
		where := fmt.Sprintf("%+v", opt)
		var all []evd.Progress
		opt.Progress, opt.Tuning = func(at evd.Progress) { all = append(all, at) }, small()
		p, err := NewPlan[float64](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		of := pr
		if opt.Overlap.Canonical {
			of = whole
		}
		a, b := given[float64](n, of.a, evd.Lower, false), given[float64](n, of.b, evd.Lower, false)
		for _, c := range []struct {
			name  string
			call  func() error
			costs []evd.StageCost
		}{
			{"Factor", func() error { _, err := p.Factor(ctx, b); return err }, p.FactorCosts()},
			{"Solve", func() error { _, err := p.Solve(ctx, a); return err }, p.SolveCosts()},
			{"SolvePair", func() error { _, err := p.SolvePair(ctx, a, b); return err }, p.Costs()},
		} {
			check := slices.ContainsFunc(c.costs, func(c evd.StageCost) bool { return c.Stage == stages.PhaseCheck && c.Flops >= 6*n*n*(n-3) })
			if check != (c.name != "Factor" && opt.measures()) {
				t.Errorf("%s, %s: the costs of a check: %v", where, c.name, check)
			}
			all = nil
			if err := c.call(); err != nil || len(all) == 0 {
				t.Fatalf("%s, %s: %d reports, %v", where, c.name, len(all), err)
			}
			total, reported, last := plan.Flops(c.costs), map[string]bool{}, all[len(all)-1]
			for i, at := range all {
				reported[at.Stage] = true
				if at.Total != total || i > 0 && !(at.Done >= all[i-1].Done) || at.Done == total && at.Stage != last.Stage {
					t.Fatalf("%s, %s: report %d of %d is %+v; the total is %g, the last report %+v", where, c.name, i, len(all), at, total, last)
				}
			}
			if last.Done != total {
				t.Errorf("%s, %s: the last report is %+v; the total is %g", where, c.name, last, total)
			}
			for _, cost := range c.costs {
				if !(cost.Flops <= 0) && !reported[cost.Stage] {
					t.Errorf("%s, %s: no report of %q", where, c.name, cost.Stage)
				}
			}
		}
	}
}
