package vk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

func made(index int, name string, t driver.DeviceType, problem error) *candidate {
	p := driver.Properties{Name: name, Type: t}
	return &candidate{props: p, problem: problem, info: Info{Index: index, Name: name, Type: t.String()}}
}

func TestDevicesAreRanked(t *testing.T) {
	noInt64 := &UnsupportedError{Device: "Arc", Feature: "shaderInt64", Need: "yes", Have: "no"}
	all := []*candidate{
		made(0, "llvmpipe (LLVM 15)", driver.CPU, nil), made(1, "Arc", driver.Discrete, noInt64),
		made(2, "Radeon 780M", driver.Integrated, nil), made(3, "NVIDIA H200", driver.Discrete, nil), made(4, "NVIDIA H100", driver.Discrete, nil),
	}
	for word, want := range map[string]int{"": 3, "nvidia": 3, "h100": 4, "2": 2, "cpu": 0, "integrated": 2, "llvm": 0} {
		c, err := choose(all, word, false)
		if err != nil || c.info.Index != want {
			t.Errorf("%q: %v, %v, want device %d", word, c, err, want)
		}
	}
	if c, err := choose(all[:3], "", false); err != nil || c.info.Index != 2 {
		t.Errorf("without a usable discrete GPU: %v, %v", c, err)
	}
	var unsupported *UnsupportedError
	if _, err := choose(all, "arc", false); !errors.Is(err, ErrNoDevice) || !errors.As(err, &unsupported) {
		t.Errorf("a device that cannot be used: %v", err)
	}
	for _, c := range []struct {
		all  []*candidate
		word string
	}{{all, "voodoo"}, {all, "7"}, {nil, ""}} {
		if _, err := choose(c.all, c.word, false); !errors.Is(err, ErrNoDevice) {
			t.Errorf("%q of %d: %v", c.word, len(c.all), err)
		}
	}
}

// A device without one of the required features is refused with a message.
func TestMissingFeature(t *testing.T) {
	features := driver.Features{}
	for _, f := range required {
		features[f] = true
	}
	if err := lacks("Apple M2", features); err != nil {
		t.Errorf("nothing is missing, yet %v", err)
	}
	features[driver.Int64] = false
	err := lacks("Apple M2", features)
	var unsupported *UnsupportedError
	if want := "Apple M2: shaderInt64: needs yes, has no"; !errors.As(err, &unsupported) || err.Error() != want {
		t.Errorf("without shaderInt64: %v", err)
	}
}

// A device without double precision is the last choice, unless its name is given or the program
// needs only single precision.
func TestSinglePrecisionIsTheLastChoice(t *testing.T) {
	cpu, arc := made(0, "llvmpipe (LLVM 15)", driver.CPU, nil), made(1, "Arc", driver.Discrete, nil)
	cpu.features[driver.Float64] = true
	for _, c := range []struct {
		all    []*candidate
		word   string
		single bool
		want   *candidate
	}{
		{[]*candidate{cpu, arc}, "", false, cpu}, {[]*candidate{arc, cpu}, "", true, arc},
		{[]*candidate{cpu, arc}, "arc", false, arc}, {[]*candidate{arc}, "", false, arc},
	} {
		if got, err := choose(c.all, c.word, c.single); got != c.want || err != nil {
			t.Errorf("%q, single precision %t: %v, %v", c.word, c.single, got, err)
		}
	}
}

// An Info without any features, such as that of a forecast, says nothing about double precision. A
// list of features without shaderFloat64 says that the device has none.
func TestNeedFloat64(t *testing.T) {
	for _, features := range [][]string{nil, {"shaderInt64", "shaderFloat64"}} {
		if i := (Info{Features: features}); !i.Float64() || i.NeedFloat64("") != nil {
			t.Errorf("%v: %v", features, i.NeedFloat64(""))
		}
	}
	i := Info{Name: "Arc", Features: []string{"shaderInt64"}}
	var unsupported *UnsupportedError
	if err := i.NeedFloat64("use float32"); i.Float64() || !errors.As(err, &unsupported) || unsupported.Feature != "shaderFloat64" ||
		!strings.HasSuffix(err.Error(), "single precision only; use float32") {
		t.Errorf("without: %v", err)
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

// The chosen queue family can compute. It also has graphics if the device has such a family. AMD's
// GPUs are the exception: there a family without graphics is chosen if it has timestamps.
func TestQueueFamily(t *testing.T) {
	const transfer = 4
	family := func(flags uint32) driver.QueueFamily { return driver.QueueFamily{Flags: flags, TimestampBits: 64} }
	both, pure, moves := family(driver.Graphics|driver.Compute), family(driver.Compute), family(transfer)
	blind := driver.QueueFamily{Flags: driver.Compute}
	for _, c := range []struct {
		families []driver.QueueFamily
		want     int
		amd      int
	}{
		{[]driver.QueueFamily{both, pure}, 0, 1}, {[]driver.QueueFamily{moves, pure, both}, 2, 1}, {[]driver.QueueFamily{moves, pure, pure}, 1, 1},
		{[]driver.QueueFamily{family(driver.Graphics), moves}, -1, -1}, {nil, -1, -1},
		{[]driver.QueueFamily{both, blind}, 0, 0}, {[]driver.QueueFamily{blind}, 0, 0}, {[]driver.QueueFamily{both, blind, pure}, 0, 2},
	} {
		if got := computes(c.families, driver.VendorNVIDIA); got != c.want {
			t.Errorf("%v: family %d, want %d", c.families, got, c.want)
		}
		if got := computes(c.families, driver.VendorAMD); got != c.amd {
			t.Errorf("%v on AMD: family %d, want %d", c.families, got, c.amd)
		}
	}
}

// If the driver has only one subgroup size, Info.Subgroup is this size. Otherwise Info.Subgroup is
// the smallest size from minSubgroup on that allows a workgroup of fullWorkgroup invocations, and
// Info.MaxLocal is at most the largest workgroup of such subgroups.
func TestSubgroupSize(t *testing.T) {
	all := driver.Features{driver.SubgroupSizeControl: true, driver.FullSubgroups: true}
	for _, c := range []struct {
		name                    string
		own, least, most, count uint32
		want, required          uint32
		maxLocal                int
	}{
		{"NVIDIA", 32, 32, 32, 32, 32, 0, 1024},
		{"lavapipe", 8, 8, 8, 128, 8, 0, 1024},
		{"no requirements", 64, 0, 0, 0, 64, 0, 1024},
		{"Intel", 32, 8, 32, 64, 16, 16, 1024},
		{"Intel's Xe2", 32, 16, 32, 64, 16, 16, 1024},
		{"Intel's ninth generation", 32, 8, 32, 56, 16, 16, 896},
		{"Intel's smallest", 32, 8, 32, 36, 16, 16, 576},
		{"AMD's RDNA", 64, 32, 64, 1 << 16, 32, 32, 1024},
		{"AMD's GCN", 64, 64, 64, 1 << 16, 64, 0, 1024},
		{"four lanes", 4, 4, 128, 1 << 16, 8, 8, 1024},
		{"only four", 4, 2, 4, 1 << 16, 4, 4, 1024},
	} {
		x := &candidate{props: driver.Properties{
			Subgroup: c.own, MinSubgroup: c.least, MaxSubgroup: c.most, MaxSubgroups: c.count,
			MaxInvocations: 1024, MaxLocalSize: [3]uint32{1024, 1024, 64},
		}, features: all}
		x.describe(0)
		if x.info.Subgroup != int(c.want) || x.requiredSubgroup() != c.required || x.info.MaxLocal != c.maxLocal {
			t.Errorf("%s: %d, required %d, at most %d in a workgroup; want %d, %d, %d", c.name,
				x.info.Subgroup, x.requiredSubgroup(), x.info.MaxLocal, c.want, c.required, c.maxLocal)
		}
		// If one of these two features is missing, pipelines require no size. Then the driver
		// chooses the size.
		for _, f := range []driver.Feature{driver.SubgroupSizeControl, driver.FullSubgroups} {
			x.features = all
			x.features[f] = false
			x.describe(0)
			if x.requiredSubgroup() != 0 || x.info.Subgroup != int(c.own) || x.info.MaxLocal != 1024 {
				t.Errorf("%s without %v: %d, required %d, at most %d in a workgroup", c.name, f, x.info.Subgroup, x.requiredSubgroup(), x.info.MaxLocal)
			}
		}
	}
}

// A driver that only simulates a device shows a device without memory. This device is refused.
func TestDeviceWithoutMemoryIsRefused(t *testing.T) {
	c := &candidate{info: Info{API: "1.3.0"}, props: driver.Properties{Name: "Null hardware", API: driver.Vulkan13, SubgroupOps: driver.SubgroupShuffle}, tickBits: 64}
	for _, f := range required {
		c.features[f] = true
	}
	if err := c.usable(); err == nil || err.Error() != "Null hardware: memory: needs some, has none: there is a driver, but no device" {
		t.Errorf("%v", err)
	}
	c.info.Memory = 1
	if err := c.usable(); err != nil {
		t.Error(err)
	}
}

func TestFloatControlsAreListed(t *testing.T) {
	p := &driver.Properties{Float32: driver.FloatControls{Nearest: true}, Float64: driver.FloatControls{Preserve: true, Subnormals: true, Nearest: true}}
	want := []string{"shaderRoundingModeRTEFloat32", "shaderSignedZeroInfNanPreserveFloat64", "shaderDenormPreserveFloat64", "shaderRoundingModeRTEFloat64"}
	if got := floatControls(p); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// Memory types with unknown properties are never used, and neither are types whose heap is too
// small. Arenas of integrated GPUs may lie in system memory.
func TestMemoryTypes(t *testing.T) {
	const amdCoherent, amdUncached = 0x40, 0x80
	host := uint32(driver.HostVisible | driver.HostCoherent)
	c := &candidate{
		heaps: []driver.Heap{{Bytes: 8 << 30, Free: 7 << 30, Local: true}, {Bytes: 16 << 30, Free: 10 << 30}, {Bytes: 256 << 20, Free: 1 << 20, Local: true}},
		types: []driver.MemoryType{
			{Heap: 1, Flags: host}, {Heap: 0, Flags: driver.DeviceLocal}, {Heap: 2, Flags: driver.DeviceLocal | host},
			{Heap: 1, Flags: host | driver.HostCached}, {Heap: 0, Flags: driver.DeviceLocal | amdCoherent | amdUncached}, {Heap: 1, Flags: host | amdCoherent},
		},
	}
	for _, x := range []struct {
		what         string
		size         uint64
		need, prefer uint32
		discrete     []int
		integrated   []int
	}{
		{"an arena", 1 << 20, driver.DeviceLocal, 0, []int{1, 2}, []int{1, 2, 0, 3}},
		{"a large arena", 1 << 30, driver.DeviceLocal, 0, []int{1}, []int{1, 0, 3}},
		{"one larger than the device's memory", 12 << 30, driver.DeviceLocal, 0, nil, []int{0, 3}},
		{"staging", 32 << 20, host, driver.HostCached, []int{3, 0, 2}, []int{3, 0, 2}},
		{"the abort word", 256, host, driver.DeviceLocal, []int{2, 0, 3}, []int{2, 0, 3}},
	} {
		for kind, want := range map[driver.DeviceType][]int{driver.Discrete: x.discrete, driver.Integrated: x.integrated} {
			c.props.Type = kind
			if got := c.memoryTypes(x.size, x.need, x.prefer); !slices.Equal(got, want) {
				t.Errorf("%s, %v: types %v, want %v", x.what, kind, got, want)
			}
		}
	}
	for kind, want := range map[driver.DeviceType][2]uint64{driver.Discrete: {8 << 30, 7 << 30}, driver.Integrated: {16 << 30, 10 << 30}} {
		c.props.Type = kind
		if total, free := c.largestHeap(c.heaps); total != want[0] || free != want[1] {
			t.Errorf("%v: %d of %d bytes free", kind, free, total)
		}
	}
}

// Timestamps of 36 bits in units of 52 ns start again at 0 about once an hour. The function
// `elapsed` is also right for a batch that is in flight at that moment.
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
