package vk

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

func memoryDevice(t *testing.T) *Device {
	t.Helper()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// NewArena refuses a layout that does not fit into the device's memory. The error contains the
// bytes needed and the bytes free. No driver object is left.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	d := memoryDevice(t)
	objects := driver.Live()
	_, free := d.Memory()
	_, err := d.NewArena(Together(Reserve[byte]("x", 2*int(free))))
	var oom *OutOfMemoryError
	if !errors.As(err, &oom) || oom.Need < 2*free || oom.Free == 0 || oom.Limit != 0 {
		t.Errorf("more than is free: %v", err)
	}
	if n := driver.Live(); n != objects {
		t.Errorf("%d objects, %d before", n, objects)
	}
}

// The device tries an allocation that is larger than MaxAllocation, the size that the driver
// guarantees. If this allocation and smaller ones fail, the error must contain the bytes of the
// whole layout.
func TestAllocationsBeyondThePromiseAreTried(t *testing.T) {
	d := memoryDevice(t)
	d.from.props.MaxAllocation, d.info.MaxAllocation = 1<<16, 1<<16
	x := Reserve[byte]("x", 1<<20)
	a, err := d.NewArena(Together(x))
	if err != nil {
		t.Fatalf("not tried: %v", err)
	}
	a.Close()
	defer func() { driver.Fault = nil }()
	driver.Fault = func(call string) driver.Result {
		if call == "vkAllocateMemory" {
			return driver.OutOfMemory
		}
		return driver.Success
	}
	var oom *OutOfMemoryError
	if _, err = d.NewArena(Together(x)); !errors.As(err, &oom) || oom.Limit != 0 || oom.Need != 1<<20 {
		t.Errorf("refused by the driver: %v", err)
	}
}

// A driver refuses an allocation that is larger than MaxAllocation, the size that it guarantees.
// The regions are then placed in several buffers. Regions that are larger than MaxAllocation are
// paged.
func TestSmallerBuffersAfterARefusal(t *testing.T) {
	for _, count := range []int{4, 1} {
		t.Run(fmt.Sprint(count, " regions"), func(t *testing.T) { refusal(t, count) })
	}
}

// refusal allocates 1<<18 bytes in `count` regions on a device that refuses the first buffer.
func refusal(t *testing.T, count int) {
	d := memoryDevice(t)
	if most := d.info.MaxRegion(); most != 0 && most < 1<<20 {
		t.Skip("the device has small buffers anyway")
	}
	d.from.props.MaxAllocation, d.info.MaxAllocation = 1<<16, 1<<16
	tried := 0
	defer func() { driver.Fault = nil }()
	driver.Fault = func(call string) driver.Result {
		if call == "vkAllocateMemory" {
			if tried++; tried <= len(d.from.memoryTypes(1<<18, driver.DeviceLocal, 0)) {
				return driver.OutOfMemory
			}
		}
		return driver.Success
	}
	objects := driver.Live()
	var parts []Space
	for range count {
		parts = append(parts, Reserve[byte]("part", 1<<18/count))
	}
	a, err := d.NewArena(Together(parts...))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.chunks) != 4 || a.Bytes() != 4<<16 || a.names[0].Paged != (count == 1) {
		t.Errorf("%d buffers of %d bytes, %+v", len(a.chunks), a.Bytes(), a.names)
	}
	a.Close()
	if d.pages.buffer != nil {
		objects += 2 // the page table, which the device keeps
	}
	if n := driver.Live(); n != objects {
		t.Errorf("%d objects, %d before", n, objects)
	}
}
