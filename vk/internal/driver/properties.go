package driver

// #include "shim.h"
import "C"

import "bytes"

type Properties struct {
	Name                    string
	Type                    DeviceType
	Vendor, ID, API, Driver uint32 // PCI ids of vendor and device; versions in Vulkan's number format
	DriverName, DriverInfo  string // the driver's name and its version, as text

	PipelineUUID          [16]byte // identifies the pipeline caches of this driver and device
	Subgroup, SubgroupOps uint32   // invocations of a subgroup; bits of the operations that it supports

	// MinSubgroup and MaxSubgroup are the smallest and the largest subgroup size that a pipeline
	// may require, or 0 if a pipeline cannot require a size. MaxSubgroups is the largest number of
	// subgroups in a workgroup of a pipeline that requires a size.
	MinSubgroup, MaxSubgroup, MaxSubgroups uint32

	// MaxAllocation is the largest allocation that the driver guarantees, and MaxBuffer is the
	// largest buffer. Both are in bytes, and 0 if the driver does not report them.
	MaxAllocation, MaxBuffer uint64

	MaxShared       uint32    // bytes of shared memory of a workgroup
	MaxInvocations  uint32    // of a workgroup
	MaxLocalSize    [3]uint32 // invocations in each dimension of a workgroup
	MaxPush         uint32    // bytes of push constants
	Units           uint32    // multiprocessors or compute units; 0 if the driver does not report them
	FastDots        bool      // a dot product of four packed signed bytes takes only a few instructions
	TimestampPeriod float32   // nanoseconds of one tick of a timestamp

	// Float16, Float32 and Float64 are the modes of floating-point arithmetic that a shader may
	// request, for half-precision numbers, floats and doubles.
	Float16, Float32, Float64 FloatControls

	// SubnormalsTogether is true if floats and doubles must treat subnormals in the same way. A
	// shader that requests a mode of subnormals must then request it for both widths.
	// RoundingTogether is true if floats and doubles must have the same mode of rounding.
	SubnormalsTogether, RoundingTogether bool
}

// FloatControls lists the modes of floating-point arithmetic that a shader may request for numbers
// of one width.
type FloatControls struct {
	Preserve   bool // signs of zeros, infinities and NaN are kept (SignedZeroInfNanPreserve)
	Subnormals bool // subnormals are kept (DenormPreserve)
	Nearest    bool // results are rounded to the nearest, ties to even (RoundingModeRTE)
}

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

const SubgroupShuffle = 1 << 4

// PretendAPI is the highest version of Vulkan that devices report, for tests that simulate an older
// device. 0 means no limit.
var PretendAPI uint32

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
		MaxPush: l.MaxPushConstantsSize, MaxLocalSize: l.MaxComputeWorkGroupSize, TimestampPeriod: l.TimestampPeriod,
	}
	copy(out.PipelineUUID[:], v.PipelineCacheUUID[:])
	v.Free()
	var more C.vke_properties
	C.vke_get_properties(p.c(), p.knows, &more)
	out.DriverName, out.DriverInfo = C.GoString(&more.driver_name[0]), C.GoString(&more.driver_info[0])
	out.Subgroup, out.SubgroupOps = uint32(more.subgroup), uint32(more.subgroup_ops)
	out.MinSubgroup, out.MaxSubgroup = uint32(more.min_subgroup), uint32(more.max_subgroup)
	out.MaxSubgroups = uint32(more.max_subgroups)
	out.Units, out.FastDots = uint32(more.units), more.fast_dots != 0
	out.MaxAllocation, out.MaxBuffer = uint64(more.max_allocation), uint64(more.max_buffer)
	for i, f := range []*FloatControls{&out.Float16, &out.Float32, &out.Float64} {
		*f = FloatControls{more.preserve[i] != 0, more.subnormals[i] != 0, more.nearest[i] != 0}
	}
	out.SubnormalsTogether, out.RoundingTogether = more.together&1 != 0, more.together&2 != 0
	return out
}

func cstring(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}
