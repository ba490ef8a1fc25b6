package driver

// #include "shim.h"
import "C"

// Properties are the facts about a device that this module uses.
type Properties struct {
	Name string
	Type DeviceType

	// Vendor and ID are the PCI ids of the vendor and of the device. API is the version of Vulkan,
	// and Driver the version of the driver, both in the number format of Vulkan.
	Vendor, ID, API, Driver uint32

	// DriverName and DriverInfo are the driver's name and its version, as text.
	DriverName, DriverInfo string

	// PipelineUUID identifies the driver's pipeline caches.
	PipelineUUID [16]byte

	// Subgroup is the number of invocations in a subgroup. SubgroupOps is a set of bits for the
	// operations that invocations of a subgroup can do together.
	Subgroup, SubgroupOps uint32

	// MinSubgroup and MaxSubgroup bound the subgroup size that a pipeline may require. They are 0
	// if it may not require one. MaxSubgroups is the largest number of subgroups in a workgroup of
	// such a pipeline.
	MinSubgroup, MaxSubgroup, MaxSubgroups uint32

	// MaxAllocation is the largest allocation that the driver promises, and MaxBuffer the largest
	// buffer, in bytes. They are 0 if the driver does not tell.
	MaxAllocation, MaxBuffer uint64

	// MaxShared is the shared memory of a workgroup, in bytes. MaxInvocations is the largest number
	// of invocations of a workgroup. MaxLocalSize is the largest size of a workgroup in each
	// dimension.
	MaxShared, MaxInvocations uint32
	MaxLocalSize              [3]uint32

	// Units is the number of multiprocessors or compute units. It is 0 if the driver does not tell.
	Units uint32

	// TimestampPeriod is the time of one tick of a timestamp, in nanoseconds.
	TimestampPeriod float32

	// Float32 and Float64 are the modes of floating-point arithmetic that a shader may ask for.
	Float32, Float64 FloatControls

	// SubnormalsTogether says that both widths have the same behaviour of subnormals, so a shader
	// that asks for a mode of one width must ask for both. RoundingTogether says the same about
	// rounding.
	SubnormalsTogether, RoundingTogether bool
}

// FloatControls tells which guarantees of floating-point arithmetic a shader may ask for, for one
// width.
type FloatControls struct {
	Preserve   bool // signs of zeros, infinities and NaN are kept (SignedZeroInfNanPreserve)
	Subnormals bool // subnormals are kept (DenormPreserve)
	Nearest    bool // results are rounded to the nearest, ties to even (RoundingModeRTE)
}

// These are the PCI numbers of makers of GPUs.
const (
	VendorAMD    = 0x1002
	VendorNVIDIA = 0x10de
	VendorIntel  = 0x8086
	VendorApple  = 0x106b
)

// DeviceType is VkPhysicalDeviceType.
type DeviceType int32

const (
	Other DeviceType = iota
	Integrated
	Discrete
	Virtual
	CPU
)

// String returns the type in one word.
func (t DeviceType) String() string {
	if t < 0 || t > CPU {
		return "other"
	}
	return [...]string{"other", "integrated", "discrete", "virtual", "cpu"}[t]
}

// SubgroupShuffle is a bit of Properties.SubgroupOps.
const SubgroupShuffle = 1 << 4

// PretendAPI is the highest version of Vulkan that devices report, if it is not 0. Tests use it to
// simulate a device of an older version.
var PretendAPI uint32

// version is the version of Vulkan that the device supports.
func (p Physical) version() uint32 {
	var v bPhysicalDeviceProperties
	bGetPhysicalDeviceProperties(p.handle, &v)
	v.Deref()
	defer v.Free()
	return pretended(v.ApiVersion)
}

// pretended returns the version, but not more than PretendAPI.
func pretended(version uint32) uint32 {
	if PretendAPI != 0 {
		return min(version, PretendAPI)
	}
	return version
}

// Properties reads the facts from the driver.
func (p Physical) Properties() Properties {
	var v bPhysicalDeviceProperties
	bGetPhysicalDeviceProperties(p.handle, &v)
	v.Deref()
	v.Limits.Deref()
	l := v.Limits
	out := Properties{
		Name: cstring(v.DeviceName[:]), Type: DeviceType(v.DeviceType), Vendor: v.VendorID, ID: v.DeviceID,
		API: pretended(v.ApiVersion), Driver: v.DriverVersion,
		MaxShared: l.MaxComputeSharedMemorySize, MaxInvocations: l.MaxComputeWorkGroupInvocations,
		MaxLocalSize: l.MaxComputeWorkGroupSize, TimestampPeriod: l.TimestampPeriod,
	}
	copy(out.PipelineUUID[:], v.PipelineCacheUUID[:])
	v.Free()
	var more C.vke_properties
	C.vke_get_properties(p.c(), p.knows, &more)
	out.DriverName, out.DriverInfo = C.GoString(&more.driver_name[0]), C.GoString(&more.driver_info[0])
	out.Subgroup, out.SubgroupOps = uint32(more.subgroup), uint32(more.subgroup_ops)
	out.MinSubgroup, out.MaxSubgroup = uint32(more.min_subgroup), uint32(more.max_subgroup)
	out.MaxSubgroups = uint32(more.max_subgroups)
	out.Units = uint32(more.units)
	out.MaxAllocation, out.MaxBuffer = uint64(more.max_allocation), uint64(more.max_buffer)
	for i, f := range []*FloatControls{&out.Float32, &out.Float64} {
		*f = FloatControls{more.preserve[i] != 0, more.subnormals[i] != 0, more.nearest[i] != 0}
	}
	out.SubnormalsTogether, out.RoundingTogether = more.together&1 != 0, more.together&2 != 0
	return out
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
