package driver

// #include "shim.h"
import "C"

// Properties are the facts about a device that we use.
type Properties struct {
	Name                      string
	Type                      DeviceType
	Vendor, ID, API, Driver   uint32
	DriverName, DriverInfo    string
	PipelineUUID              [16]byte
	Subgroup, SubgroupOps     uint32
	MinSubgroup, MaxSubgroup  uint32 // sizes that a pipeline may require; 0 where it may not
	MaxSubgroups              uint32 // subgroups of a workgroup whose pipeline requires a size
	MaxAllocation, MaxBuffer  uint64 // bytes
	MaxShared, MaxInvocations uint32
	MaxLocalSize              [3]uint32
	Units                     uint32  // multiprocessors or compute units; 0 where the driver does not tell
	TimestampPeriod           float32 // nanoseconds of a tick

	// Modes of floating-point arithmetic that a shader may ask for.
	Float32, Float64 FloatControls

	// Both widths have one behaviour of subnormals, or one of rounding: who asks for one asks for
	// both.
	SubnormalsTogether, RoundingTogether bool
}

// FloatControls are modes of one width of floating point.
type FloatControls struct {
	Preserve   bool // signs of zeros, infinities and NaN are kept (SignedZeroInfNanPreserve)
	Subnormals bool // subnormals are kept (DenormPreserve)
	Nearest    bool // results are rounded to the nearest, ties to even (RoundingModeRTE)
}

// Numbers that PCI gives to makers of GPUs.
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

func (t DeviceType) String() string {
	if t < 0 || t > CPU {
		return "other"
	}
	return [...]string{"other", "integrated", "discrete", "virtual", "cpu"}[t]
}

// SubgroupShuffle is a bit of Properties.SubgroupOps.
const SubgroupShuffle = 1 << 4

// PretendAPI, if not 0, is the highest version of Vulkan that devices report. Tests set it to have
// a device of an older version.
var PretendAPI uint32

// version is the version of Vulkan that the device speaks.
func (p Physical) version() uint32 {
	var v bPhysicalDeviceProperties
	bGetPhysicalDeviceProperties(p.handle, &v)
	v.Deref()
	defer v.Free()
	return pretended(v.ApiVersion)
}

func pretended(version uint32) uint32 {
	if PretendAPI != 0 {
		return min(version, PretendAPI)
	}
	return version
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
