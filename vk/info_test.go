package vk

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

func made(index int, name string, t driver.DeviceType, problem error) *candidate {
	p := driver.Properties{Name: name, Type: t}
	return &candidate{props: p, problem: problem, info: Info{Index: index, Name: name, Type: t.String()}}
}

func TestDevicesAreRanked(t *testing.T) {
	noFloat64 := &UnsupportedError{Device: "Arc", Feature: "shaderFloat64", Need: "yes", Have: "no"}
	all := []*candidate{
		made(0, "llvmpipe (LLVM 15)", driver.CPU, nil), made(1, "Arc", driver.Discrete, noFloat64),
		made(2, "Radeon 780M", driver.Integrated, nil), made(3, "NVIDIA H200", driver.Discrete, nil), made(4, "NVIDIA H100", driver.Discrete, nil),
	}
	for word, want := range map[string]int{"": 3, "nvidia": 3, "h100": 4, "2": 2, "cpu": 0, "integrated": 2, "llvm": 0} {
		c, err := choose(all, word)
		if err != nil || c.info.Index != want {
			t.Errorf("%q: %v, %v, want device %d", word, c, err, want)
		}
	}
	if c, err := choose(all[:3], ""); err != nil || c.info.Index != 2 {
		t.Errorf("without a usable discrete GPU: %v, %v", c, err)
	}
	var unsupported *UnsupportedError
	if _, err := choose(all, "arc"); !errors.Is(err, ErrNoDevice) || !errors.As(err, &unsupported) {
		t.Errorf("a device that cannot be used: %v", err)
	}
	for _, c := range []struct {
		all  []*candidate
		word string
	}{{all, "voodoo"}, {all, "7"}, {nil, ""}} {
		if _, err := choose(c.all, c.word); !errors.Is(err, ErrNoDevice) {
			t.Errorf("%q of %d: %v", c.word, len(c.all), err)
		}
	}
}

// TestNoFloat64: what MoltenVK's users and those of some Intel GPUs are told.
func TestNoFloat64(t *testing.T) {
	features := driver.Features{}
	for _, f := range required {
		features[f] = true
	}
	if err := lacks("Apple M2", features); err != nil {
		t.Errorf("nothing is missing, yet %v", err)
	}
	for f, want := range map[driver.Feature]string{
		driver.Float64: "Apple M2: shaderFloat64: needs yes, has no: this device computes in 32 bits only",
		driver.Int64:   "Apple M2: shaderInt64: needs yes, has no",
	} {
		features[f] = false
		err := lacks("Apple M2", features)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || err.Error() != want {
			t.Errorf("without %v: %v", f, err)
		}
		features[f] = true
	}
}

func TestOldLavapipeIsRefused(t *testing.T) {
	for info, refused := range map[string]bool{
		"Mesa 22.3.6 (LLVM 15.0.6)": true, "Mesa 24.3.4": true, "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)": false, "Mesa 26.1.0-devel": false,
	} {
		if err := oldLavapipe(&driver.Properties{Name: "llvmpipe", DriverName: "llvmpipe", DriverInfo: info}); (err != nil) != refused {
			t.Errorf("%s: %v", info, err)
		}
	}
	if err := oldLavapipe(&driver.Properties{DriverName: "radv", DriverInfo: "Mesa 22.3.6"}); err != nil {
		t.Errorf("another driver of an old Mesa: %v", err)
	}
}

// A family that computes only is taken where none has graphics, too.
func TestQueueFamilyWithGraphicsIsPreferred(t *testing.T) {
	const transfer = 4
	family := func(flags uint32) driver.QueueFamily { return driver.QueueFamily{Flags: flags} }
	both, pure, moves := family(driver.Graphics|driver.Compute), family(driver.Compute), family(transfer)
	for _, c := range []struct {
		families []driver.QueueFamily
		want     int
	}{
		{[]driver.QueueFamily{both, pure}, 0}, {[]driver.QueueFamily{moves, pure, both}, 2}, {[]driver.QueueFamily{moves, pure, pure}, 1},
		{[]driver.QueueFamily{family(driver.Graphics), moves}, -1}, {nil, -1},
	} {
		if got := computes(c.families); got != c.want {
			t.Errorf("%v: family %d, want %d", c.families, got, c.want)
		}
	}
}

// Timestamps of 36 bits begin again at 0 every hour: a batch that is running then takes no longer.
func TestTimestampsBeginAgain(t *testing.T) {
	for _, c := range []struct {
		from, to uint64
		bits     uint32
		want     uint64
	}{{5, 7, 64, 2}, {1<<36 - 3, 4, 36, 7}, {1<<64 - 1, 1, 64, 2}, {9, 9, 36, 0}} {
		if got := elapsed(c.from, c.to, c.bits); got != c.want {
			t.Errorf("from %#x to %#x of %d bits: %d ticks, want %d", c.from, c.to, c.bits, got, c.want)
		}
	}
}
