package vk

import (
	"slices"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Info describes a device. A number is 0 if the driver does not tell it.
type Info struct {
	// Index is the device's number in the loader's order.
	Index int    `json:"index"`
	Name  string `json:"name"`

	// Type is discrete, integrated, virtual, cpu or other.
	Type string `json:"type"`

	// Family is the maker of the GPU: nvidia, amd, intel, apple or other. It is cpu for all drivers
	// that compute on the CPU.
	Family string `json:"family"`

	// Driver is the driver's name, and DriverVersion the text with which it describes its version.
	Driver        string `json:"driver"`
	DriverVersion string `json:"driver_version"`

	// API is the version of Vulkan that the device supports.
	API string `json:"vulkan"`

	// Memory is the size in bytes of the largest heap that arenas use. Free is the driver's
	// estimate of the free part of it.
	Memory uint64 `json:"memory_bytes"`
	Free   uint64 `json:"free_bytes"`

	// MaxBuffer is the size of the largest buffer, in bytes. MaxAllocation is the largest size that
	// the driver promises to allocate, but some drivers give more. See MaxRegion.
	MaxBuffer     uint64 `json:"max_buffer_bytes"`
	MaxAllocation uint64 `json:"max_allocation_bytes"`

	// SharedBytes is the number of bytes of shared memory that a workgroup can have, and MaxLocal
	// the number of invocations.
	SharedBytes int `json:"shared_bytes"`
	MaxLocal    int `json:"max_invocations"`

	// Subgroup is the number of invocations in a subgroup, for kernels that depend on this number.
	Subgroup int `json:"subgroup"`

	// Units is the number of multiprocessors or compute units.
	Units int `json:"units"`

	// ByteMatrices are the shapes in which the device's matrix units multiply signed bytes.
	ByteMatrices []MatrixShape `json:"byte_matrices,omitempty"`

	// Features are the features that the device offers. FloatControls are the modes of arithmetic
	// that shaders may ask for. Both are Vulkan's names.
	Features      []string `json:"features"`
	FloatControls []string `json:"float_controls"`

	// Problem says why the device cannot be used. It is "" if the device can be used.
	Problem string `json:"problem,omitempty"`
}

// MatrixShape is M×K by K×N, the size of a product that a subgroup computes with one instruction.
type MatrixShape struct{ M, N, K int }

// IntegerDotProducts tells whether kernels may use packed dot products of bytes.
func (i Info) IntegerDotProducts() bool { return i.offers(driver.IntegerDotProduct) }

// FenceChains tells whether a fence of one invocation orders the memory accesses of all invocations
// that it met at a barrier (availability and visibility chains).
func (i Info) FenceChains() bool { return i.offers(driver.MemoryModelChains) }

// Int64Atomics tells whether buffers have atomic operations on 64-bit integers.
func (i Info) Int64Atomics() bool { return i.offers(driver.Int64Atomics) }

// MemoryModel tells whether kernels may use Vulkan's memory model. If not, Build refuses kernels
// that use it.
func (i Info) MemoryModel() bool {
	return i.offers(driver.MemoryModel) && i.offers(driver.MemoryModelDevice)
}

// offers tells whether the device has a feature.
func (i Info) offers(f driver.Feature) bool { return slices.Contains(i.Features, f.String()) }

// required are the features that every kernel relies on.
var required = []driver.Feature{
	driver.Float64,
	driver.Int64,               // device addresses
	driver.BufferDeviceAddress, // there are no descriptors: push blocks have addresses
	driver.TimelineSemaphore,   // counts batches
	driver.ScalarLayout,        // push blocks and buffers have the layout of Go structs
}

// wanted are the features that kernels use if a device has them.
var wanted = []driver.Feature{
	// The memory model is for kernels whose workgroups wait for each other, and for kernels whose
	// invocations pass data through memory. Build refuses these kernels on devices without it.
	driver.MemoryModel, driver.MemoryModelDevice,

	// These two are for kernels whose invocations address their neighbours in a subgroup. Such
	// kernels ask for full subgroups, of the size that Info tells.
	driver.SubgroupSizeControl, driver.FullSubgroups,

	// With Maintenance4 the size MaxBuffer is known.
	driver.Maintenance4,

	// With MemoryModelChains one fence is enough for a workgroup.
	driver.MemoryModelChains,

	// Workgroups of a panel exchange doubles by 64-bit atomics.
	driver.Int64Atomics,

	// Products of signed bytes, with which double-precision products are emulated.
	driver.IntegerDotProduct, driver.Int8, driver.CooperativeMatrix,
}

// A Feature is an ability that a device may offer, with the name that Vulkan gives it.
// Info.Features lists the features of a device.
type Feature struct {
	Name     string
	Required bool // otherwise it is used where it exists
}

// Features lists all features that Open asks devices about.
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

// MinimumAPI is the lowest version of Vulkan that a device must support.
const MinimumAPI = "1.2"

// minimumAPI is MinimumAPI in the number format of Vulkan.
const minimumAPI = 1<<22 | 2<<12

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
