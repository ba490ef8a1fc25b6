// Package stagetest, internal to vkevd, for tests only, has what the tests of the stages share: one
// open device, guarded memory, and matrices whose padding is checked.
package stagetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// shared is the device of the tests of one package, and the number of tests that use it.
var shared struct {
	sync.Mutex
	device *vk.Device
	others []*vk.Device // further devices, as long as `device` is open
	users  int          // tests that are running
	served int          // tests since the device was opened
}

// The validation layers (1.3.239) keep every submission to a queue until the queue is destroyed,
// and compare each new one with all before. With the layers, the tests open the device anew after
// this number of tests. Otherwise the last tests of a package would take twenty times as long.
const servedByDevice = 8

func validated() bool { return os.Getenv("VK_INSTANCE_LAYERS") != "" }

func open() (*vk.Device, error) {
	if shared.device == nil {
		var err error
		if shared.device, err = vk.Open(options()); err != nil {
			return nil, err
		}
	}
	return shared.device, nil
}

func options() vk.Options {
	return vk.Options{Device: os.Getenv("VKEVD_DEVICE"), DebugShaders: os.Getenv("VKEVD_DEBUG_SHADERS") != ""}
}

// Devices returns `count` devices: the device of Device, and others. All of them are the same piece
// of hardware, opened several times. The contract is that of Device.
func Devices(t testing.TB, count int) []*vk.Device {
	t.Helper()
	all := []*vk.Device{Device(t)}
	shared.Lock()
	defer shared.Unlock()
	for len(shared.others) < count-1 {
		d, err := vk.Open(options())
		if err != nil {
			t.Fatal(err)
		}
		shared.others = append(shared.others, d)
	}
	return append(all, shared.others[:count-1]...)
}

// Device returns the device that the tests of one package share. The environment variable
// VKEVD_DEVICE names the device. If VKEVD_DEBUG_SHADERS is set, the device uses the debug forms of
// the kernels. A test must not use the device of an earlier test.
func Device(t testing.TB) *vk.Device {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.users == 0 && shared.served >= servedByDevice && validated() {
		for _, d := range append(shared.others, shared.device) {
			d.Close()
		}
		shared.device, shared.others, shared.served = nil, nil, 0
	}
	d, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if shared.users == 0 {
		shared.served++
	}
	shared.users++
	t.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		shared.users--
	})
	return d
}

func Info() vk.Info {
	shared.Lock()
	defer shared.Unlock()
	d, err := open()
	if err != nil {
		return vk.Info{}
	}
	return d.Info()
}

func Run(t testing.TB, d *vk.Device, rec *vk.Recorder) *vk.Profile {
	t.Helper()
	p, err := d.Run(context.Background(), rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Arena allocates device memory (an arena), filled with NaN, with guard bytes after each region.
// When the test ends, the guard bytes are checked and the arena is released.
func Arena(t testing.TB, d *vk.Device, l *vk.Layout) *vk.Arena {
	t.Helper()
	a, err := d.NewGuardedArena(l)
	if err != nil {
		t.Fatal(err)
	}
	// All memory is filled with NaN. If a stage reads memory before it is written, the result is
	// NaN.
	rec := vk.NewRecorder(d)
	a.Poison(rec)
	Run(t, d, rec)
	// The check of the guard bytes finds a stage that writes outside all regions.
	t.Cleanup(func() {
		if err := a.CheckGuards(context.Background()); err != nil {
			t.Error(err)
		}
		a.Close()
	})
	return a
}

func Put[T any](t testing.TB, d *vk.Device, dst vk.Slice[T], src []T) {
	t.Helper()
	if err := vk.Upload(context.Background(), d, dst, vk.Vector(src)); err != nil {
		t.Fatal(err)
	}
}

func Get[T any](t testing.TB, d *vk.Device, src vk.Slice[T]) []T {
	t.Helper()
	out := make([]T, src.Len())
	if err := vk.Download(context.Background(), d, vk.Vector(out), src); err != nil {
		t.Fatal(err)
	}
	return out
}
