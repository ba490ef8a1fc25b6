package vk

import (
	"slices"
	"strings"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Info describes a device. A number is 0 if the driver does not report it.
type Info struct {
	Index  int    `json:"index"` // the device's number in the loader's order
	Name   string `json:"name"`
	Type   string `json:"type"`   // discrete, integrated, virtual, cpu or other
	Family string `json:"family"` // nvidia, amd, intel, apple or other; cpu if the driver computes on the CPU

	Driver        string `json:"driver"`
	DriverVersion string `json:"driver_version"` // the driver's own description
	API           string `json:"vulkan"`         // version of Vulkan that the device supports

	Memory uint64 `json:"memory_bytes"` // size of the largest heap that arenas use
	Free   uint64 `json:"free_bytes"`   // the driver's estimate of the free part of this heap

	// MaxBuffer is the size of the largest buffer, in bytes. MaxAllocation is the largest
	// allocation that the driver guarantees, in bytes. Some drivers allow more (MaxRegion).
	MaxBuffer     uint64 `json:"max_buffer_bytes"`
	MaxAllocation uint64 `json:"max_allocation_bytes"`

	SharedBytes int `json:"shared_bytes"`    // largest shared memory of a workgroup
	MaxLocal    int `json:"max_invocations"` // of a workgroup whose subgroups have Subgroup invocations
	Subgroup    int `json:"subgroup"`        // invocations of a subgroup, in kernels that depend on the number
	Units       int `json:"units"`           // multiprocessors or compute units

	// FastDots is true if the device has instructions for dot products of four packed signed bytes.
	// Other devices that offer these products compute each product in many instructions.
	FastDots bool `json:"fast_dots,omitempty"`

	// ByteMatrices are the shapes in which the device's matrix units multiply signed bytes.
	ByteMatrices []MatrixShape `json:"byte_matrices,omitempty"`

	Features      []string `json:"features"`          // that the device offers, by Vulkan's names
	FloatControls []string `json:"float_controls"`    // modes of shaders' arithmetic, by Vulkan's names
	Problem       string   `json:"problem,omitempty"` // why the device cannot be used; "" if it can be used
}

// MatrixShape is the size of a matrix product that a subgroup computes with one instruction: M×K
// times K×N.
type MatrixShape struct{ M, N, K int }

// Named tells whether `word` is a word of the device's name. For example, "H200" is a word of
// "NVIDIA H200 NVL", and not of "NVIDIA GH200 480GB".
func (i Info) Named(word string) bool { return slices.Contains(strings.Fields(i.Name), word) }

func (i Info) IntegerDotProducts() bool { return i.offers(driver.IntegerDotProduct) }

// FenceChains tells whether one fence is enough for a whole workgroup. The invocations first meet
// at a barrier, and then one of them executes the fence. With Vulkan's availability and visibility
// chains this fence orders the memory accesses of all these invocations.
func (i Info) FenceChains() bool { return i.offers(driver.MemoryModelChains) }

func (i Info) Int64Atomics() bool { return i.offers(driver.Int64Atomics) }

// MemoryModel tells whether kernels may use Vulkan's memory model. If not, Build refuses kernels
// that use it.
func (i Info) MemoryModel() bool {
	return i.offers(driver.MemoryModel) && i.offers(driver.MemoryModelDevice)
}

// HalfStorage tells whether kernels may read and write half-precision numbers in memory. Such
// kernels compute in single precision.
func (i Info) HalfStorage() bool { return i.offers(driver.Storage16) }

// Float64 tells whether the device computes in double precision. It is true if Features is empty,
// because nothing is known about the features then.
func (i Info) Float64() bool { return len(i.Features) == 0 || i.offers(driver.Float64) }

// NeedFloat64 returns an *UnsupportedError if the device does not compute in double precision. The
// argument `advice` is the end of its text: what the caller can do instead.
func (i Info) NeedFloat64(advice string) error {
	if i.Float64() {
		return nil
	}
	have := "no: this device computes in single precision only; " + advice
	return &UnsupportedError{i.Name, driver.Float64.String(), "yes", have}
}

func (i Info) offers(f driver.Feature) bool { return slices.Contains(i.Features, f.String()) }

// required are the features without which a device is not used.
var required = []driver.Feature{
	driver.Int64,               // device addresses
	driver.BufferDeviceAddress, // there are no descriptors: push blocks have addresses
	driver.TimelineSemaphore,   // counts batches
	driver.ScalarLayout,        // push blocks and buffers have the layout of Go structs
}

// wanted are the features that are used only if the device has them. Build refuses kernels that
// need a feature that is missing (capabilityFeatures).
var wanted = []driver.Feature{
	driver.Float64,                               // double precision
	driver.MemoryModel, driver.MemoryModelDevice, // invocations or workgroups that pass data through memory
	driver.SubgroupSizeControl, driver.FullSubgroups, // invocations that address others of their subgroup
	driver.Maintenance4,                                             // reports MaxBuffer
	driver.MemoryModelChains,                                        // Info.FenceChains
	driver.Int64Atomics,                                             // in the panel factorization, workgroups exchange doubles
	driver.Storage16,                                                // numbers in half precision
	driver.IntegerDotProduct, driver.Int8, driver.CooperativeMatrix, // products of bytes, which emulate doubles
}

// A Feature is one of Vulkan's features, with Vulkan's name. Info.Features lists those of a device.
type Feature struct {
	Name     string
	Required bool // otherwise it is used where it exists
}

// Features lists all features that Open checks on a device.
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

const MinimumAPI = "1.2"

const minimumAPI = 1<<22 | 2<<12 // MinimumAPI in Vulkan's number format

func floatControls(p *driver.Properties) []string {
	list := []string{}
	for _, width := range []struct {
		bits string
		has  driver.FloatControls
	}{{"16", p.Float16}, {"32", p.Float32}, {"64", p.Float64}} {
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

// byteMatrices is Info.ByteMatrices: the shapes of matrix products of signed bytes that subgroups
// compute, with 32-bit sums that wrap around. The result is nil if the device lacks a feature that
// these products need, or if the driver cannot list the shapes.
func byteMatrices(p driver.Physical, features driver.Features) []MatrixShape {
	if !features[driver.CooperativeMatrix] || !features[driver.Int8] || !features[driver.MemoryModel] {
		return nil
	}
	all, err := p.MatrixShapes()
	if err != nil {
		return nil
	}
	var list []MatrixShape
	for _, s := range all {
		bytes := s.A == driver.SignedByte && s.B == driver.SignedByte
		sums := s.C == driver.SignedWord && s.Result == driver.SignedWord
		shape := MatrixShape{int(s.M), int(s.N), int(s.K)}
		if bytes && sums && !s.Saturating && s.Scope == driver.SubgroupScope && !slices.Contains(list, shape) {
			list = append(list, shape)
		}
	}
	return list
}
