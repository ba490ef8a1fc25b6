package trials

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// The context of a solve ends during a driver call. After this call, at most one further batch may
// be submitted. The solve must return the context's error, and the plan can be used again. The test
// tries the first call from each place in the program. With VKEVD_FAULTS=all it tries every call.
func TestCancelledAtEachCall(t *testing.T) {
	when.Skip(t, when.Validation, "the calls of other tests")
	when.Pick(t, when.Race)
	for _, w := range []work{ofVectors, ofValues} {
		f := newFixture(t, w)
		cancelled := 0
		for _, c := range once(f.calls(t)) {
			ctx, cancel := context.WithCancel(context.Background())
			after := 0
			end := watch(t, func(got call) driver.Result {
				if got.number == c.number {
					cancel()
				}
				if got.number >= c.number && got.name == "vkQueueSubmit" {
					after++
				}
				return driver.Success
			})
			res, err := f.plan.Solve(ctx, f.a)
			end()
			cancel()
			switch {
			case errors.Is(err, context.Canceled):
				cancelled++
			case err != nil || !same(res, f.want): // if the solve had finished before the context ended, it may return its result
				t.Errorf("cancelled at call %d, %s: %v", c.number, c.name, err)
			}
			if after > 1 {
				t.Errorf("cancelled at call %d, %s: %d batches after that", c.number, c.name, after)
			}
			f.solvesStill(t, "a cancelled one")
		}
		t.Logf("%s: cancelled %d times", w.name, cancelled)
		if cancelled < 5 {
			t.Errorf("cancelled only %d times", cancelled)
		}
	}
}

// once selects the driver calls that a test tries: the first call from each place in the program.
// In the long form of the tests (VKEVD_FAULTS=all) it selects all calls.
func once(all []call) []call {
	if everything() {
		return all
	}
	var list []call
	seen := map[uint64]bool{}
	for _, c := range all {
		if !seen[c.far] {
			seen[c.far] = true
			list = append(list, c)
		}
	}
	return list
}

// The context of a solve ends during the k-th progress report, after the k-th batch. The test tries
// every seventh k, and with VKEVD_FAULTS=all every k. The solve returns the context's error, and
// the plan can be used again.
func TestCancelledAfterEachBatch(t *testing.T) {
	when.Pick(t, when.Race)
	f := newFixture(t, ofVectors)
	reports := 0
	f.report = func(evd.Progress) { reports++ }
	f.solvesStill(t, "none")
	total, stride := reports, 7
	if everything() {
		stride = 1
	}
	if total < 50 {
		t.Fatalf("only %d reports", total)
	}
	stages := map[string]bool{}
	for k := 0; k < total; k += stride {
		ctx, cancel := context.WithCancel(context.Background())
		reports = 0
		stage := ""
		f.report = func(p evd.Progress) {
			if reports++; reports == k+1 {
				stage = p.Stage
				cancel()
			}
		}
		_, err := f.plan.Solve(ctx, f.a)
		f.report = nil
		cancel()
		stages[stage] = true
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after batch %d of %d: %v", k, total, err)
		}
		if more := reports - (k + 1); more > 1 { // one batch was running
			t.Errorf("cancelled after batch %d, and %d batches after that", k, more)
		}
		f.solvesStill(t, "a cancelled one")
	}
	t.Logf("after every %dth of %d batches, in %v", stride, total, slices.Sorted(maps.Keys(stages)))
}

func TestDeadlines(t *testing.T) {
	f := newFixture(t, ofVectors)
	for _, limit := range []time.Duration{-1, time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		res, err := f.plan.Solve(ctx, f.a)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && (limit < time.Millisecond || err != nil || !same(res, f.want)) {
			t.Errorf("deadline in %v: %v", limit, err)
		}
		f.solvesStill(t, "a deadline")
	}
}
