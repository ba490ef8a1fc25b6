package trials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// results are the errors that nearly every Vulkan call may return.
var results = []driver.Result{driver.OutOfHostMemory, driver.OutOfMemory, driver.DeviceLost, driver.InitFailed}

// forgiven are calls that may fail in a solve that succeeds. A device whose extensions cannot be
// listed counts as a device without extensions. A device whose shapes of matrices cannot be listed
// counts as a device without matrix units. If the wait for the device fails, Close still closes the
// device. If one memory type is full, the next type is tried. Without a pipeline cache the solve
// only takes longer.
var forgiven = []string{
	"vkEnumerateDeviceExtensionProperties", "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
	"vkDeviceWaitIdle", "vkAllocateMemory", "vkCreatePipelineCache", "vkGetPipelineCacheData",
}

// checkFault checks the result of a session in which one driver call failed. The error must be an
// *OutOfMemoryError, or name the call. If there was a device, the error must also name the
// operation, the kernel and the phase in which the call was made, as far as they are known. If
// there is no error, the result must have the same bits as without the failure.
func checkFault(t *testing.T, c call, result driver.Result, got, want *evd.Result[float64], err error) {
	t.Helper()
	var failed *driver.Error
	var device *vk.Error
	var memory *vk.OutOfMemoryError
	switch {
	case err == nil && (c.restores || slices.Contains(forgiven, c.name)):
		if !same(got, want) {
			t.Errorf("%s failing with %v: no error, other bits", c.name, result)
		}
	case errors.As(err, &memory):
		if result != driver.OutOfMemory || memory.Need == 0 || memory.Free == 0 {
			t.Errorf("%s failing with %v gave %v", c.name, result, err)
		}
	case !errors.As(err, &failed) || failed.Call != c.name || failed.Result != result:
		t.Errorf("call %d, %s failing with %v, gave %v", c.number, c.name, result, err)
	case errors.Is(err, vk.ErrNoDevice): // before there is a device
	case !errors.As(err, &device) || device.Op == "" || c.kernel && device.Kernel == "" || c.run && !c.prepares && device.Phase == "":
		t.Errorf("call %d, %s failing with %v, says too little: %v", c.number, c.name, result, err)
	case (result == driver.DeviceLost) != errors.Is(err, vk.ErrDeviceLost):
		t.Errorf("%s failing with %v, is it lost? %v", c.name, result, err)
	}
}

// TestEveryCallOfASessionMayFail runs many sessions. In each session one driver call fails, each
// time a different call. By default the test chooses one call from each place in package vk. With
// VKEVD_FAULTS=all every call fails once with each of its possible results. The session must return
// a typed error, and no object may be left.
func TestEveryCallOfASessionMayFail(t *testing.T) {
	when.Skip(t, when.Slow, "the calls of other tests")
	for _, s := range []session{{work: ofValues, vk: vk.Options{CacheDir: t.TempDir()}}, {work: ofVectors, vk: vk.Options{Batch: oneCommand}}} {
		want := s.must(t)
		faults := s.faults(t)
		failed := 0
		for _, f := range faults {
			var at *call
			end := watch(t, f.strike(&at))
			got, err := s.run(context.Background())
			end()
			nothingLeft(t, f.String())
			if at == nil {
				continue // the number of waits varies
			}
			failed++
			checkFault(t, *at, f.result, got, want, err)
		}
		if got := s.must(t); !same(got, want) {
			t.Error("the session after: other bits")
		}
		t.Logf("%s: %d of %d faults came to pass", s.name, failed, len(faults))
		if failed < 20 {
			t.Errorf("only %d calls failed", failed)
		}
		if !everything() {
			return
		}
	}
}

// faults lists the driver calls that TestEveryCallOfASessionMayFail lets fail, with the error of
// each.
func (s session) faults(t *testing.T) []fault {
	var all []call
	end := watch(t, func(c call) driver.Result {
		all = append(all, c)
		return driver.Success
	})
	s.must(t)
	end()
	return choose(all, func(c call) uint64 { return c.near })
}

// A fault is an error result for one driver call. `number` is the number of the call in its
// session. If `number` is negative, the fault is for the first call from the place `site` in the
// program.
type fault struct {
	number int
	site   uint64 // hash of the place in the program, computed by of
	of     func(call) uint64
	result driver.Result
	name   string // of the call when it was chosen
}

func (f fault) String() string {
	return fmt.Sprintf("call %d, %s, failing with %v", f.number, f.name, f.result)
}

// strike returns a hook for the function `watch`, which calls the hook at each driver call. The
// hook lets the first call that matches this fault fail, and stores that call in *at.
func (f fault) strike(at **call) func(call) driver.Result {
	return func(c call) driver.Result {
		if *at != nil || f.number != c.number && (f.number >= 0 || f.of(c) != f.site) {
			return driver.Success
		}
		*at = &c
		return f.result
	}
}

// choose lists the faults that a test tries, for the driver calls `all` of a run without faults.
// With VKEVD_FAULTS=all these are all calls with all results. Otherwise they are one call from each
// place in the program, with one result. The function `site` computes the place of a call.
func choose(all []call, site func(call) uint64) []fault {
	var list []fault
	seen := map[uint64]bool{}
	for _, c := range all {
		if everything() {
			for _, r := range results {
				list = append(list, fault{number: c.number, result: r, name: c.name})
			}
		} else if !seen[site(c)] {
			seen[site(c)] = true
			list = append(list, fault{number: -1, site: site(c), of: site, result: results[len(list)%len(results)], name: c.name})
		}
	}
	return list
}

// Driver calls of a solve fail, one at a time. The next solve with the same device and plan has the
// right bits. This also holds after the result DeviceLost, because the device is not really lost in
// this test.
func TestAPlanOutlivesFailedCalls(t *testing.T) {
	when.Skip(t, when.Race|when.Vulkango, "TestEveryDriverCallMayFail of vk")
	for _, w := range []work{ofVectors, ofValues, ofRefinement, coldRefinement, inMixed, onTwoDevices, distributed} {
		p := newFixture(t, w)
		faults := choose(p.calls(t), func(c call) uint64 { return c.far })
		for _, f := range faults {
			var at *call
			end := watch(t, f.strike(&at))
			got, err := p.plan.Solve(context.Background(), p.a)
			end()
			if at != nil {
				checkFault(t, *at, f.result, got, p.want, err)
			}
			p.solvesStill(t, f.String())
		}
		t.Logf("%s: %d faults", w.name, len(faults))
	}
}
