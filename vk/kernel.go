package vk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Kernel is a compiled pipeline. S is the type of its specialisation constants, and P that of its
// push block. The device owns it.
type Kernel[S, P any] struct {
	// Spec holds the specialisation constants with which the kernel was compiled.
	Spec S

	core *kernel
}

// kernel is the part of a Kernel that does not depend on types. Recorders keep it.
type kernel struct {
	name     string
	pipeline *pipeline // nil on a Dry device
	pushSize int       // bytes
	addrs    []spirv.PushField
}

// Build compiles a module with the given specialisation constants on the device. Equal requests
// share one pipeline. Build returns when the driver has compiled the pipeline, but inside of
// Compile it returns at once. A Dry device has no pipelines.
//
// The error is an *UnsupportedError if a workgroup has more invocations than the device allows, or
// if the kernel needs a feature that the device lacks.
func Build[S, P any](d *Device, m spirv.Module[S, P], spec S) (*Kernel[S, P], error) {
	var push P
	core := &kernel{name: m.Name, pushSize: int(unsafe.Sizeof(push))}
	for _, f := range m.Push {
		if f.Kind == spirv.Address {
			core.addrs = append(core.addrs, f)
		}
	}
	r := recipe{name: m.Name, code: m.Code, spec: m.Spec, data: bytesOf(&spec), pushSize: core.pushSize}
	if n := r.invocations(m.LocalSize); d.info.MaxLocal > 0 && n > d.info.MaxLocal {
		what := "invocations in a workgroup of " + m.Name
		return nil, &UnsupportedError{d.info.Name, what, fmt.Sprint(n), fmt.Sprint(d.info.MaxLocal)}
	}
	if d.compiles {
		if err := d.offersAll(m.Name, m.Capabilities); err != nil {
			return nil, err
		}
		r.full = d.from.features[driver.FullSubgroups] && (slices.Contains(m.Capabilities, spirv.CapGroupNonUniform) ||
			slices.Contains(m.Capabilities, spirv.CapCooperativeMatrixKHR))
		var err error
		if core.pipeline, err = d.pipeline(r); err != nil {
			return nil, err
		}
	}
	return &Kernel[S, P]{Spec: spec, core: core}, nil
}

// offersAll refuses a kernel that needs a feature which the device lacks. It does not check the
// features that all kernels need, because Open has checked them. The error is an *UnsupportedError
// with the names of feature and kernel.
func (d *Device) offersAll(kernel string, capabilities []spirv.Capability) error {
	for _, c := range capabilities {
		if f, ok := capabilityFeatures[c]; ok && !d.from.features[f] {
			return &UnsupportedError{d.info.Name, f.String() + " of " + kernel, "yes", "no"}
		}
	}
	return nil
}

// capabilityFeatures holds the features that only some kernels need, by their SPIR-V capability.
var capabilityFeatures = map[spirv.Capability]driver.Feature{
	spirv.CapVulkanMemoryModel:            driver.MemoryModel,
	spirv.CapVulkanMemoryModelDeviceScope: driver.MemoryModelDevice,
	spirv.CapInt64Atomics:                 driver.Int64Atomics,
	spirv.CapInt8:                         driver.Int8,
	spirv.CapDotProduct:                   driver.IntegerDotProduct,
	spirv.CapCooperativeMatrixKHR:         driver.CooperativeMatrix,
}

// Name is the kernel's name, the same as in package shaders.
func (k *Kernel[S, P]) Name() string { return k.core.name }

// Dispatch records one run of the kernel over a grid. Inside of Concurrently a Touch must cover
// each address of the push block, so that the recorder can refuse overlaps.
//
// A grid without workgroups records nothing. If some devices do not accept a grid, Dispatch panics
// on every device, because a larger device would hide the defect.
func (k *Kernel[S, P]) Dispatch(rec *Recorder, g Groups, push P, touch ...Touch) {
	if g.X <= 0 || g.Y <= 0 || g.Z <= 0 {
		if g.X < 0 || g.Y < 0 || g.Z < 0 {
			panic(fmt.Sprintf("vk: %s dispatched over %v workgroups", k.core.name, g))
		}
		return
	}
	if limit := MaxGroups(); max(g.X, g.Y, g.Z) > limit {
		const message = "vk: %s dispatched over %v workgroups, at most %d in one dimension run everywhere"
		panic(fmt.Sprintf(message, k.core.name, g, limit))
	}
	rec.dispatch(k.core, g, bytesOf(&push), touch)
}

// recipe holds everything that determines a pipeline. It is not changed after it was made, and
// several goroutines may use it.
type recipe struct {
	name     string
	code     []byte            // SPIR-V
	spec     []spirv.SpecField // the specialisation constants
	data     []byte            // their values
	pushSize int               // bytes

	// full says that the subgroups must be full, because invocations address their neighbours by
	// number.
	full bool
}

// invocations is the number of invocations in a workgroup. size is the size from the module, whose
// dimensions are fixed or specialisation constants.
func (r recipe) invocations(size [3]spirv.Dimension) int {
	n := 1
	for _, d := range size {
		length := d.Fixed
		for _, f := range r.spec {
			if d.Specialised && f.ID == d.ID {
				length = binary.NativeEndian.Uint32(r.data[f.Offset:])
			}
		}
		n *= int(length)
	}
	return n
}

// bytesOf returns the bytes of a plain value without Go pointers, in the byte order of the machine.
// The bytes share the memory of v.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
