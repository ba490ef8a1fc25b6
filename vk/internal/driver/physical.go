package driver

// #include "shim.h"
import "C"

import (
	"slices"
	"unsafe"
)

// Physical is a physical device, a plain value that is valid as long as its instance exists.
type Physical struct {
	in     *Instance
	handle bPhysicalDevice

	// knows is a set of VKE_KNOWS_… bits: the structures of properties or features that the device
	// knows in addition to those of Vulkan 1.2.
	knows C.int
}

func (p Physical) c() C.VkPhysicalDevice { return *(*C.VkPhysicalDevice)(unsafe.Pointer(&p.handle)) }

// These extensions are optional: package vk uses an extension only on devices that have it.
const (
	SubgroupSizeExtension = "VK_EXT_subgroup_size_control"      // part of Vulkan 1.3
	Maintenance4Extension = "VK_KHR_maintenance4"               // part of Vulkan 1.3
	IntegerDotExtension   = "VK_KHR_shader_integer_dot_product" // part of Vulkan 1.3
	MatrixExtension       = "VK_KHR_cooperative_matrix"
	HostMemoryExtension   = "VK_EXT_external_memory_host"
	nvUnitsExtension      = "VK_NV_shader_sm_builtins"
	amdUnitsExtension     = "VK_AMD_shader_core_properties"
	amdUnits2Extension    = "VK_AMD_shader_core_properties2"
)

// Vulkan13 is version 1.3 of Vulkan. Three of the extensions above are part of it.
const Vulkan13 = 1<<22 | 3<<12

// Knowing returns a copy of the device with the member `knows` set. The version of Vulkan and
// `extensions`, the result of the method Extensions, determine `knows`.
func (p Physical) Knowing(extensions []string) Physical {
	p.knows = C.int(knowledge(p.version(), extensions))
	return p
}

func knowledge(version uint32, extensions []string) (knows int) {
	for _, k := range []struct {
		name string
		bit  int
		core bool // part of Vulkan 1.3
	}{
		{SubgroupSizeExtension, C.VKE_KNOWS_SUBGROUP_SIZE, true},
		{Maintenance4Extension, C.VKE_KNOWS_MAINTENANCE4, true},
		{IntegerDotExtension, C.VKE_KNOWS_INTEGER_DOT, true},
		{MatrixExtension, C.VKE_KNOWS_COOPERATIVE_MATRIX, false},
		{nvUnitsExtension, C.VKE_KNOWS_NV_UNITS, false},
		{amdUnitsExtension, C.VKE_KNOWS_AMD_UNITS, false},
		{amdUnits2Extension, C.VKE_KNOWS_AMD_UNITS_2, false},
	} {
		if k.core && version >= Vulkan13 || slices.Contains(extensions, k.name) {
			knows |= k.bit
		}
	}
	return knows
}

type QueueFamily struct {
	Flags, Count  uint32
	TimestampBits uint32 // valid bits of a timestamp; 0 where there are no timestamps
}

const (
	Graphics = 1
	Compute  = 2
)

// Queues lists the queue families by their numbers.
func (p Physical) Queues() []QueueFamily {
	var n C.uint32_t
	C.vke_queue_families(p.c(), nil, &n)
	raw := make([]C.VkQueueFamilyProperties, max(n, 1))
	C.vke_queue_families(p.c(), &raw[0], &n)
	list := make([]QueueFamily, n)
	for i := range list {
		list[i] = QueueFamily{uint32(raw[i].queueFlags), uint32(raw[i].queueCount), uint32(raw[i].timestampValidBits)}
	}
	return list
}

func (p Physical) Extensions() ([]string, error) {
	raw, err := listed("vkEnumerateDeviceExtensionProperties", func(at *C.VkExtensionProperties, n *C.uint32_t) C.VkResult {
		return C.vke_device_extensions(p.c(), at, n)
	})
	list := make([]string, len(raw))
	for i := range list {
		list[i] = C.GoString(&raw[i].extensionName[0])
	}
	return list, err
}

// listed makes one of Vulkan's calls that first tell the length of a list, and then fill it.
func listed[T any](call string, get func(at *T, n *C.uint32_t) C.VkResult) ([]T, error) {
	var n C.uint32_t
	if err := try(call, func() Result { return Result(get(nil, &n)) }); err != nil || n == 0 {
		return nil, err
	}
	all := make([]T, n)
	if err := try(call, func() Result { return Result(get(&all[0], &n)) }); err != nil {
		return nil, err
	}
	return all[:n], nil
}
