package vk

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Kernel is a compiled pipeline. S is the type of its specialization constants, and P is that of
// its push block. The device owns the pipeline.
type Kernel[S, P any] struct {
	// Spec holds the specialization constants with which the kernel was compiled.
	Spec S

	core *kernel
}

// kernel is the part of a Kernel that does not depend on S and P.
type kernel struct {
	name     string
	pipeline *pipeline // nil on a Dry device
	recipe   recipe
	addrs    []spirv.PushField
}

func (k *kernel) isVirtual(push []byte) bool {
	for _, f := range k.addrs {
		if spirv.Virtual(addrAt(push, f)) {
			return true
		}
	}
	return false
}

// translated returns the pipeline of the kernel's variant that translates addresses, and the push
// block of this variant. The pipeline may still be compiling. If the variant cannot be made, the
// pipeline has failed, and a Run returns its error. A recording requests a variant once, even if it
// fails.
func (r *Recorder) translated(k *kernel, push []byte) (*pipeline, []byte) {
	if k.pipeline == nil {
		return nil, push
	}
	paged := k.recipe.paged(r.dev)
	push = r.dev.pages.extend(push, paged.pushSize)
	v := r.variants[k]
	if v == nil {
		var err error
		if v, _, err = r.dev.request(paged); err != nil {
			v = &pipeline{done: make(chan struct{}), err: err}
			close(v.done)
		}
		if r.variants == nil {
			r.variants = map[*kernel]*pipeline{}
		}
		r.variants[k] = v
	}
	return v, push
}

// Build compiles a module for the device, with the given specialization constants. Calls with the
// same module and constants share one pipeline. Build returns when the driver has compiled the
// pipeline. During a call of Device.Compile, Build returns without waiting. A Dry device has no
// pipelines.
//
// The error is an *UnsupportedError if a workgroup has more invocations than the device allows, or
// if the kernel needs a feature that the device lacks.
func Build[S, P any](d *Device, m spirv.Module[S, P], spec S) (*Kernel[S, P], error) {
	if driver.Refuse != nil {
		if err := driver.Refuse(m.Name); err != nil {
			return nil, err
		}
	}
	core := &kernel{name: m.Name}
	for _, f := range m.Push {
		if f.Kind == spirv.Address {
			core.addrs = append(core.addrs, f)
		}
	}
	r := recipe{name: m.Name, code: m.Code, spec: m.Spec, data: slices.Clone(bytesOf(&spec)), pushSize: int(m.PushSize())}
	size := m.GroupSize(spec)
	n := int(size[0]) * int(size[1]) * int(size[2])
	if d.info.MaxLocal > 0 && n > d.info.MaxLocal {
		what := "invocations in a workgroup of " + m.Name
		return nil, &UnsupportedError{d.info.Name, what, fmt.Sprint(n), fmt.Sprint(d.info.MaxLocal)}
	}
	if d.compiles {
		if err := d.offersAll(m.Name, m.Capabilities); err != nil {
			return nil, err
		}
		r.exchanges = d.from.features[driver.FullSubgroups] && (slices.Contains(m.Capabilities, spirv.CapGroupNonUniform) ||
			slices.Contains(m.Capabilities, spirv.CapCooperativeMatrixKHR))
		r.full = r.exchanges && n%d.info.Subgroup == 0 // all workgroups are one-dimensional
		var err error
		if core.pipeline, err = d.pipeline(r); err != nil {
			return nil, err
		}
		core.recipe = r
	}
	return &Kernel[S, P]{Spec: spec, core: core}, nil
}

func (d *Device) offersAll(kernel string, capabilities []spirv.Capability) error {
	for _, c := range capabilities {
		if f, ok := capabilityFeatures[c]; ok && !d.from.features[f] {
			return &UnsupportedError{d.info.Name, f.String() + " of " + kernel, "yes", "no"}
		}
	}
	return nil
}

// capabilityFeatures has the device feature of each SPIR-V capability that only some kernels need.
var capabilityFeatures = map[spirv.Capability]driver.Feature{
	spirv.CapFloat64:                      driver.Float64,
	spirv.CapVulkanMemoryModel:            driver.MemoryModel,
	spirv.CapVulkanMemoryModelDeviceScope: driver.MemoryModelDevice,
	spirv.CapInt64Atomics:                 driver.Int64Atomics,
	spirv.CapInt8:                         driver.Int8,
	spirv.CapStorageBuffer16BitAccess:     driver.Storage16,
	spirv.CapDotProduct:                   driver.IntegerDotProduct,
	spirv.CapCooperativeMatrixKHR:         driver.CooperativeMatrix,
}

// Name is the kernel's name, the same as in package shaders.
func (k *Kernel[S, P]) Name() string { return k.core.name }

// Dispatch records one run of the kernel over a grid. Inside of Recorder.Concurrently and
// Recorder.Beside, each address of the push block, except 0, must lie in one of the ranges `touch`,
// so that the recorder can refuse conflicting accesses.
//
// A grid without workgroups records nothing. Dispatch panics if a dimension of the grid is
// negative, or if the grid exceeds the size that every Vulkan device accepts, even if this device
// accepts more: so the mistake is found on every device.
func (k *Kernel[S, P]) Dispatch(rec *Recorder, g Groups, push P, touch ...Touch) {
	if g.X <= 0 || g.Y <= 0 || g.Z <= 0 {
		if g.X < 0 || g.Y < 0 || g.Z < 0 {
			panic(fmt.Sprintf("vk: %s dispatched over %v workgroups", k.core.name, g))
		}
		rec.empty = true
		return
	}
	if limit := MaxGroups(); max(g.X, g.Y, g.Z) > limit {
		const message = "vk: %s dispatched over %v workgroups, at most %d in one dimension run everywhere"
		panic(fmt.Sprintf(message, k.core.name, g, limit))
	}
	rec.dispatch(k.core, g, bytesOf(&push), touch)
}

// recipe holds everything from which a compute pipeline is made. It never changes.
type recipe struct {
	name     string
	code     []byte            // SPIR-V
	spec     []spirv.SpecField // the specialization constants
	data     []byte            // their values
	pushSize int               // bytes

	pages *spirv.PageTable // nil unless the pipeline translates addresses

	// exchanges says that the invocations of a subgroup address each other by number, so that the
	// pipeline requires the subgroup size Info.Subgroup if the device has several sizes. full says
	// that it also requires every subgroup to be full. Vulkan permits this only if a workgroup has
	// whole subgroups.
	exchanges, full bool
}

// paged returns the recipe of the variant that translates addresses. The page table must exist.
func (r recipe) paged(d *Device) recipe {
	t, size := d.pages.table(r.pushSize, int(d.from.props.MaxPush))
	r.pages, r.pushSize = &t, size
	return r
}

// title is a name that tells variants of a kernel apart.
func (r recipe) title() string {
	if r.pages != nil {
		return r.name + " with pages"
	}
	return r.name
}

// bytesOf returns the memory of a plain value without Go pointers.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// Groups is the grid of a dispatch: its number of workgroups in each dimension.
type Groups struct{ X, Y, Z int }

// Grid is a one-dimensional grid of n workgroups.
func Grid(n int) Groups { return Groups{n, 1, 1} }

// Tiles is the number of tiles of the given size that cover n elements.
func Tiles(n int, tile uint32) int { return (n + int(tile) - 1) / int(tile) }

// MaxGroups is the number of workgroups that every Vulkan device accepts in one dimension.
func MaxGroups() int { return driver.MaxGroups }

// Folded is a grid of at least n workgroups in two dimensions that every device accepts. A
// workgroup (x, y) of the kernel computes its index y·X + x, and returns if the index is ≥ n.
func Folded(n int) Groups {
	limit := MaxGroups()
	if n <= limit {
		return Grid(n)
	}
	rows := (n + limit - 1) / limit
	return Groups{(n + rows - 1) / rows, rows, 1}
}
