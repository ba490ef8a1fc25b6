package driver

// #include "shim.h"
import "C"

import "unsafe"

// Physical is a physical device of an instance.
type Physical struct {
	in     *Instance
	handle bPhysicalDevice
}

func (p Physical) c() C.VkPhysicalDevice { return *(*C.VkPhysicalDevice)(unsafe.Pointer(&p.handle)) }

// Properties are the facts about a device that we use.
type Properties struct {
	Name                      string
	Type                      DeviceType
	Vendor, ID, API, Driver   uint32
	DriverName, DriverInfo    string
	PipelineUUID              [16]byte
	Subgroup, SubgroupOps     uint32
	MaxAllocation, MaxBuffer  uint64 // bytes
	MaxShared, MaxInvocations uint32
	MaxLocalSize              [3]uint32
	Units                     uint32  // multiprocessors, 0 where the driver does not tell
	TimestampPeriod           float32 // nanoseconds a tick
}

// VendorNVIDIA is NVIDIA's PCI number.
const VendorNVIDIA = 0x10de

// DeviceType is VkPhysicalDeviceType.
type DeviceType int32

const (
	Other DeviceType = iota
	Integrated
	Discrete
	Virtual
	CPU
)

func (t DeviceType) String() string {
	if t < 0 || t > CPU {
		return "other"
	}
	return [...]string{"other", "integrated", "discrete", "virtual", "cpu"}[t]
}

// Properties reads the facts.
func (p Physical) Properties() Properties {
	var v bPhysicalDeviceProperties
	bGetPhysicalDeviceProperties(p.handle, &v)
	v.Deref()
	v.Limits.Deref()
	l := v.Limits
	out := Properties{
		Name: cstring(v.DeviceName[:]), Type: DeviceType(v.DeviceType), Vendor: v.VendorID, ID: v.DeviceID,
		API: v.ApiVersion, Driver: v.DriverVersion,
		MaxShared: l.MaxComputeSharedMemorySize, MaxInvocations: l.MaxComputeWorkGroupInvocations,
		MaxLocalSize: l.MaxComputeWorkGroupSize, TimestampPeriod: l.TimestampPeriod,
	}
	copy(out.PipelineUUID[:], v.PipelineCacheUUID[:])
	v.Free()
	var more C.vke_properties
	nvidia := C.int(0) // whose structure others do not know
	if out.Vendor == VendorNVIDIA {
		nvidia = 1
	}
	C.vke_get_properties(p.c(), nvidia, &more)
	out.DriverName, out.DriverInfo = C.GoString(&more.driver_name[0]), C.GoString(&more.driver_info[0])
	out.Subgroup, out.SubgroupOps = uint32(more.subgroup), uint32(more.subgroup_ops)
	out.Units = uint32(more.units)
	out.MaxAllocation, out.MaxBuffer = uint64(more.max_allocation), uint64(more.max_buffer)
	return out
}

// Feature is one optional ability that we ask about.
type Feature int

const (
	Float64             Feature = C.VKE_FLOAT64
	Int64               Feature = C.VKE_INT64
	Int16               Feature = C.VKE_INT16
	Storage8            Feature = C.VKE_STORAGE8
	Int64Atomics        Feature = C.VKE_INT64_ATOMICS
	Int8                Feature = C.VKE_INT8
	ScalarLayout        Feature = C.VKE_SCALAR_LAYOUT
	SubgroupExtended    Feature = C.VKE_SUBGROUP_EXTENDED
	HostQueryReset      Feature = C.VKE_HOST_QUERY_RESET
	TimelineSemaphore   Feature = C.VKE_TIMELINE
	BufferDeviceAddress Feature = C.VKE_DEVICE_ADDRESS
	MemoryModel         Feature = C.VKE_MEMORY_MODEL
	MemoryModelDevice   Feature = C.VKE_MEMORY_MODEL_DEVICE
	MemoryModelChains   Feature = C.VKE_MEMORY_MODEL_CHAINS
	SubgroupSizeControl Feature = C.VKE_SUBGROUP_SIZE_CONTROL
	FullSubgroups       Feature = C.VKE_FULL_SUBGROUPS
	Maintenance4        Feature = C.VKE_MAINTENANCE4
	features                    = C.VKE_FEATURES
)

var featureNames = [features]string{
	"shaderFloat64", "shaderInt64", "shaderInt16", "storageBuffer8BitAccess", "shaderBufferInt64Atomics", "shaderInt8",
	"scalarBlockLayout", "shaderSubgroupExtendedTypes", "hostQueryReset", "timelineSemaphore", "bufferDeviceAddress",
	"vulkanMemoryModel", "vulkanMemoryModelDeviceScope", "vulkanMemoryModelAvailabilityVisibilityChains", "subgroupSizeControl", "computeFullSubgroups", "maintenance4",
}

func (f Feature) String() string { return featureNames[f] }

// Features is a set of them.
type Features [features]bool

// Names lists the members.
func (s Features) Names() []string {
	var names []string
	for f, has := range s {
		if has {
			names = append(names, featureNames[f])
		}
	}
	return names
}

// Features reads what the device offers. The device must speak Vulkan 1.3.
func (p Physical) Features() Features {
	var has [features]C.VkBool32
	C.vke_get_features(p.c(), &has[0])
	var s Features
	for i := range s {
		s[i] = has[i] != 0
	}
	return s
}

// QueueFamily is one family of queues.
type QueueFamily struct {
	Flags, Count  uint32
	TimestampBits uint32 // of a timestamp that count; 0 where there are none
}

// SubgroupShuffle is a bit of Properties.SubgroupOps.
const SubgroupShuffle = 1 << 4

// Compute and Graphics are bits of QueueFamily.Flags.
const (
	Graphics = 1
	Compute  = 2
)

// Queues lists the queue families.
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

// Extensions lists the device's extensions.
func (p Physical) Extensions() ([]string, error) {
	var n C.uint32_t
	if err := try("vkEnumerateDeviceExtensionProperties", func() Result { return Result(C.vke_device_extensions(p.c(), nil, &n)) }); err != nil {
		return nil, err
	}
	raw := make([]C.VkExtensionProperties, max(n, 1))
	if err := try("vkEnumerateDeviceExtensionProperties", func() Result { return Result(C.vke_device_extensions(p.c(), &raw[0], &n)) }); err != nil {
		return nil, err
	}
	list := make([]string, n)
	for i := range list {
		list[i] = C.GoString(&raw[i].extensionName[0])
	}
	return list, nil
}

// cstring reads a zero-terminated array of bytes.
func cstring(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}
