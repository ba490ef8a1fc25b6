package vk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Groups is the grid of a dispatch, in workgroups.
type Groups struct{ X, Y, Z int }

// Grid is a one-dimensional grid of n workgroups.
func Grid(n int) Groups { return Groups{n, 1, 1} }

// Tiles is the number of tiles of the given size that cover n.
func Tiles(n int, tile uint32) int { return (n + int(tile) - 1) / int(tile) }

// MostGroups is how many workgroups every Vulkan device accepts in one dimension.
func MostGroups() int { return driver.MostGroups }

// Folded is a grid of at least n workgroups that stays inside every device's
// limits; the kernel linearises (index = y·X + x) and skips what is past n.
func Folded(n int) Groups {
	most := MostGroups()
	if n <= most {
		return Grid(n)
	}
	rows := (n + most - 1) / most
	return Groups{(n + rows - 1) / rows, rows, 1}
}

// Kernel is a pipeline with its specialisation constants S and push constants P.
type Kernel[S, P any] struct {
	Spec S
	core *kernel
}

// kernel is what the recorder keeps of a Kernel.
type kernel struct {
	name     string
	pipeline *pipeline // nil on a Dry device
	pushSize int
	addrs    []spirv.PushField // the address members of P
}

// Build specialises a module on the device; equal requests share one
// pipeline. It returns when the driver has compiled it, or inside Compile at once.
// On a Dry device no pipeline is made. A workgroup with more invocations than the device
// can have is an *UnsupportedError.
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
		return nil, &UnsupportedError{d.info.Name, "invocations in a workgroup of " + m.Name, fmt.Sprint(n), fmt.Sprint(d.info.MaxLocal)}
	}
	if !d.dry {
		if err := d.offersAll(m.Name, m.Capabilities); err != nil {
			return nil, err
		}
		r.full = d.from.features[driver.FullSubgroups] && slices.Contains(m.Capabilities, spirv.CapGroupNonUniform)
		var err error
		if core.pipeline, err = d.pipeline(r); err != nil {
			return nil, err
		}
	}
	return &Kernel[S, P]{Spec: spec, core: core}, nil
}

// offersAll refuses a kernel that needs a feature which the device lacks. Features that all kernels
// need were asked for when the device was opened.
func (d *Device) offersAll(kernel string, capabilities []spirv.Capability) error {
	for _, c := range capabilities {
		if f, ok := capabilityFeatures[c]; ok && !d.from.features[f] {
			return &UnsupportedError{d.info.Name, f.String() + " of " + kernel, "yes", "no"}
		}
	}
	return nil
}

// capabilityFeatures are the features that some kernels need, by the SPIR-V capability.
var capabilityFeatures = map[spirv.Capability]driver.Feature{
	spirv.CapVulkanMemoryModel:            driver.MemoryModel,
	spirv.CapVulkanMemoryModelDeviceScope: driver.MemoryModelDevice,
	spirv.CapInt64Atomics:                 driver.Int64Atomics,
}

// invocations is the number of a workgroup's.
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

// Name is the kernel's name, that of its file in shaders/glsl/.
func (k *Kernel[S, P]) Name() string { return k.core.name }

// Dispatch records one run of the kernel. Inside Concurrently each address of the push
// block must be covered by a Touch, so that the recorder can refuse overlaps.
// A grid with no workgroup records nothing, one that not every device accepts is refused with
// a panic: no validation layer of a larger device would see it.
func (k *Kernel[S, P]) Dispatch(rec *Recorder, g Groups, push P, touch ...Touch) {
	if g.X <= 0 || g.Y <= 0 || g.Z <= 0 {
		if g.X < 0 || g.Y < 0 || g.Z < 0 {
			panic(fmt.Sprintf("vk: %s dispatched over %v workgroups", k.core.name, g))
		}
		return
	}
	if most := MostGroups(); max(g.X, g.Y, g.Z) > most {
		panic(fmt.Sprintf("vk: %s dispatched over %v workgroups, at most %d in one dimension run everywhere", k.core.name, g, most))
	}
	rec.dispatch(k.core, g, bytesOf(&push), touch)
}

// bytesOf views a plain value without Go pointers as its bytes.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
