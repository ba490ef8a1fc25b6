package trials

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// For each stage, the test simulates that the device is lost in the middle of the stage: all later
// driver calls fail. The error names the stage, no object is left, and a new device works.
func TestDeviceLostInEachStage(t *testing.T) {
	when.Skip(t, when.Slow, "the calls of other tests")
	seen := map[string]bool{}
	for _, w := range []work{ofVectors, ofValues, ofRefinement, inMixed} {
		s := session{work: w, vk: vk.Options{Batch: oneCommand}}
		want := s.must(t)
		var submits map[string][]int
		t.Run("where", func(t *testing.T) { submits = submitsByPhase(t, w) }) // a subtest, so that its device is closed here
		making := s.submitsOfPlan(t)
		for phase, list := range submits {
			if seen[phase] && !everything() {
				continue
			}
			seen[phase] = true
			middle := making + list[len(list)/2]
			at := 0
			end := watch(t, func(c call) driver.Result {
				if c.name == "vkQueueSubmit" {
					at++
				}
				// On a device that is really lost, nothing runs any more. Here the device still
				// works, so the wait for its work must not fail.
				if at > middle && c.name != "vkDeviceWaitIdle" {
					return driver.DeviceLost
				}
				return driver.Success
			})
			_, err := s.run(context.Background())
			end()
			var e *vk.Error
			if !errors.Is(err, vk.ErrDeviceLost) || !errors.As(err, &e) || e.Phase != phase {
				t.Errorf("lost in %s: %v", phase, err)
			}
			nothingLeft(t, "a device lost in "+phase)
		}
		if got := s.must(t); !same(got, want) {
			t.Error("the session after: other bits")
		}
	}
	t.Logf("lost in %v", slices.Sorted(maps.Keys(seen)))
}

// submitsOfPlan is the number of batches that are submitted before the solve of a session begins.
// These batches belong to experiments that a new plan runs on the device.
func (s session) submitsOfPlan(t *testing.T) int {
	n := 0
	defer watch(t, func(c call) driver.Result {
		if c.name == "vkQueueSubmit" {
			n++
		}
		return driver.Success
	})()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.run(ended); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return n
}

// submitsByPhase lists the numbers of the submissions of a solve, counted from 0, by phase. It
// leaves out transfers. It finds the phase of a submission from an error: it simulates a loss of
// the device at this submission.
func submitsByPhase(t *testing.T, w work) map[string][]int {
	f := newFixture(t, w)
	total := 0
	for _, c := range f.calls(t) {
		if c.name == "vkQueueSubmit" {
			total++
		}
	}
	list := map[string][]int{}
	for k := range total {
		at := 0
		end := watch(t, func(c call) driver.Result {
			if c.name != "vkQueueSubmit" {
				return driver.Success
			}
			if at++; at == k+1 {
				return driver.DeviceLost
			}
			return driver.Success
		})
		_, err := f.plan.Solve(context.Background(), f.a)
		end()
		var e *vk.Error
		if !errors.As(err, &e) {
			t.Fatalf("submission %d lost: %v", k, err)
		}
		if e.Op == "submitting a batch" {
			list[e.Phase] = append(list[e.Phase], k)
		}
	}
	if len(list) < 4 {
		t.Errorf("stages seen: %v", list)
	}
	return list
}
