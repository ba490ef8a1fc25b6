package vk

import (
	"slices"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Info describes a device.
type Info struct {
	Index         int      `json:"index"` // in the loader's order
	Name          string   `json:"name"`
	Type          string   `json:"type"`   // discrete, integrated, virtual, cpu, other
	Family        string   `json:"family"` // maker of the GPU: nvidia, amd, intel, apple, other; or cpu
	Driver        string   `json:"driver"`
	DriverVersion string   `json:"driver_version"`
	API           string   `json:"vulkan"`
	Memory        uint64   `json:"memory_bytes"`         // size of the largest heap that arenas use
	Free          uint64   `json:"free_bytes"`           // free part of it, as the driver estimates
	MaxBuffer     uint64   `json:"max_buffer_bytes"`     // size of the largest buffer; 0 if the driver does not tell
	MaxAllocation uint64   `json:"max_allocation_bytes"` // size that the driver promises to allocate; some give more
	SharedBytes   int      `json:"shared_bytes"`         // shared memory of a workgroup
	MaxLocal      int      `json:"max_invocations"`      // invocations of a workgroup
	Subgroup      int      `json:"subgroup"`             // invocations of a subgroup, where kernels depend on it
	Units         int      `json:"units"`                // multiprocessors or compute units; 0 if the driver does not tell
	Features      []string `json:"features"`             // Vulkan's names
	FloatControls []string `json:"float_controls"`       // Vulkan's names of what shaders may ask of their arithmetic
	Problem       string   `json:"problem,omitempty"`    // why the device cannot be used
}

// FenceChains tells whether the fence of one invocation can stand for all invocations that met it
// at a barrier.
func (i Info) FenceChains() bool { return i.offers(driver.MemoryModelChains) }

// Int64Atomics tells whether buffers have atomic operations on 64-bit integers.
func (i Info) Int64Atomics() bool { return i.offers(driver.Int64Atomics) }

// MemoryModel tells whether kernels may use Vulkan's memory model. Without it no workgroup can wait
// for another, and Build refuses kernels that do.
func (i Info) MemoryModel() bool {
	return i.offers(driver.MemoryModel) && i.offers(driver.MemoryModelDevice)
}

func (i Info) offers(f driver.Feature) bool { return slices.Contains(i.Features, f.String()) }

// required are the features that every kernel relies on.
var required = []driver.Feature{
	driver.Float64, driver.Int64, driver.BufferDeviceAddress, driver.TimelineSemaphore, driver.ScalarLayout,
}

// wanted are the features that are used where they exist.
var wanted = []driver.Feature{
	driver.MemoryModel, driver.MemoryModelDevice, driver.SubgroupSizeControl, driver.FullSubgroups,
	driver.Maintenance4, driver.MemoryModelChains, driver.Int64Atomics,
}

// A Feature is an ability that a device may offer, under Vulkan's name. Info.Features lists those
// of a device.
type Feature struct {
	Name     string
	Required bool // otherwise it is used where it exists
}

// Features lists all features that are asked of devices.
func Features() []Feature {
	var list []Feature
	for _, f := range required {
		list = append(list, Feature{f.String(), true})
	}
	for _, f := range wanted {
		list = append(list, Feature{f.String(), false})
	}
	return list
}

// MinimumAPI is the version of Vulkan that a device must speak.
const MinimumAPI = "1.2"

const minimumAPI = 1<<22 | 2<<12 // Vulkan 1.2

// floatControls are Vulkan's names of the modes that a device offers for floating-point arithmetic.
func floatControls(p *driver.Properties) []string {
	list := []string{}
	for _, width := range []struct {
		bits string
		has  driver.FloatControls
	}{{"32", p.Float32}, {"64", p.Float64}} {
		for _, mode := range []struct {
			name string
			has  bool
		}{
			{"shaderSignedZeroInfNanPreserveFloat", width.has.Preserve},
			{"shaderDenormPreserveFloat", width.has.Subnormals},
			{"shaderRoundingModeRTEFloat", width.has.Nearest},
		} {
			if mode.has {
				list = append(list, mode.name+width.bits)
			}
		}
	}
	return list
}
