package trials

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// A solve on two devices loses a device: a driver call returns DeviceLost. The error names one of
// the devices, no call hangs, no object is left, and the same plan solves the next matrix. The test
// lets only some calls fail, because most calls are made in every batch.
func TestDriverCallsFailOnSeveralDevices(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	when.Skip(t, when.Widths, "failing driver calls")
	for _, distribute := range []bool{false, true} {
		t.Run(fmt.Sprint("distribute ", distribute), func(t *testing.T) { loseOneOfTwo(t, distribute) })
	}
}

// loseOneOfTwo is TestDriverCallsFailOnSeveralDevices for one way to divide the work.
func loseOneOfTwo(t *testing.T, distribute bool) {
	const n, tries = 18, 12 // tries for each call
	small := tuning.Smallest()
	a := evd.Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n)}
	for i := range a.Data {
		a.Data[i] = float64(i*i%17) + 1
	}
	d, e := device(t, vk.Options{Batch: oneCommand}), device(t, vk.Options{Batch: oneCommand})
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Distribute: distribute, Tuning: &small, Devices: []*vk.Device{e}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer func() { driver.Fault = nil }()
	var lock sync.Mutex
	calls := map[string]int{}
	solve := func(fail string, at int) error {
		clear(calls)
		driver.Fault = func(call string) driver.Result {
			lock.Lock()
			defer lock.Unlock()
			if calls[call]++; call == fail && calls[call] == at {
				return driver.DeviceLost
			}
			return driver.Success
		}
		_, err := p.Solve(context.Background(), a)
		driver.Fault = nil
		return err
	}
	if err := solve("", 0); err != nil { // it allocates the staging buffers
		t.Fatal(err)
	}
	before := driver.Live()
	if err := solve("", 0); err != nil {
		t.Fatal(err)
	}
	t.Logf("calls of a solve: %v", calls)
	for call, all := range maps.Clone(calls) {
		for at := 1; at <= all; at += 1 + all/tries {
			err := solve(call, at)
			var of *vk.DeviceError
			if calls[call] >= at && (!errors.As(err, &of) || of.Device != d && of.Device != e || !errors.Is(err, vk.ErrDeviceLost)) {
				t.Errorf("%s number %d of %d losing the device gave %v", call, at, all, err)
			}
			if left := driver.Live() - before; left != 0 {
				t.Fatalf("%s number %d of %d leaves %d objects", call, at, all, left)
			}
		}
	}
	if err := solve("", 0); err != nil {
		t.Errorf("the solve after: %v", err)
	}
}
