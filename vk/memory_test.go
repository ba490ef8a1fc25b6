package vk

import (
	"errors"
	"os"
	"strings"
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
// bytes needed and the bytes free, or the largest size of a buffer. No driver object is left.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	d := memoryDevice(t)
	objects := driver.Live()
	_, free := d.Memory()
	most := d.from.props.MaxBuffer
	for _, c := range []struct {
		name        string
		need, limit uint64
		skip        bool
	}{
		{"more than is free", free + 1<<20, 0, false},
		{"more than a buffer may have", most + 1, most, most == 0 || most >= free},
	} {
		if c.skip {
			continue
		}
		_, err := d.NewArena(Together(Reserve[byte]("x", int(c.need))))
		var oom *OutOfMemoryError
		if !errors.As(err, &oom) || oom.Need < c.need || oom.Free == 0 || oom.Limit != c.limit {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if n := driver.Live(); n != objects {
		t.Errorf("%d objects, %d before", n, objects)
	}
}

// A program may try an allocation that is larger than MaxAllocation, the size that the driver
// guarantees. Such an allocation is tried. If it fails, the limit in the error is MaxAllocation.
func TestAllocationsBeyondThePromiseAreTried(t *testing.T) {
	d := memoryDevice(t)
	d.from.props.MaxAllocation = 1 << 16
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
	if _, err = d.NewArena(Together(x)); !errors.As(err, &oom) || oom.Limit != 1<<16 || !strings.Contains(err.Error(), "in one piece, the device allows 65536") {
		t.Errorf("refused by the driver: %v", err)
	}
}

// A driver refuses an allocation that is larger than MaxAllocation, the size that it guarantees. No
// region is larger than MaxAllocation. The regions are then placed in several buffers.
func TestSmallerBuffersAfterARefusal(t *testing.T) {
	d := memoryDevice(t)
	if d.info.cell(Together()) != 0 && d.info.cell(Together()) < 1<<20 {
		t.Skip("the device has small buffers anyway")
	}
	d.from.props.MaxAllocation = 1 << 16
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
	for range 4 {
		parts = append(parts, Reserve[byte]("part", 1<<16))
	}
	a, err := d.NewArena(Together(parts...))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.chunks) != 4 || a.Bytes() != 4<<16 {
		t.Errorf("%d buffers of %d bytes", len(a.chunks), a.Bytes())
	}
	a.Close()
	if n := driver.Live(); n != objects {
		t.Errorf("%d objects, %d before", n, objects)
	}
}
