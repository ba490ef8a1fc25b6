package driver

// #include "shim.h"
import "C"

import "slices"

// Feature is an optional feature of a device that this module uses.
type Feature int

const (
	Float64             Feature = C.VKE_FLOAT64
	Int64               Feature = C.VKE_INT64
	Int16               Feature = C.VKE_INT16
	Storage16           Feature = C.VKE_STORAGE16
	Storage8            Feature = C.VKE_STORAGE8
	Int64Atomics        Feature = C.VKE_INT64_ATOMICS
	Int8                Feature = C.VKE_INT8
	ScalarLayout        Feature = C.VKE_SCALAR_LAYOUT
	HostQueryReset      Feature = C.VKE_HOST_QUERY_RESET
	TimelineSemaphore   Feature = C.VKE_TIMELINE
	BufferDeviceAddress Feature = C.VKE_DEVICE_ADDRESS
	MemoryModel         Feature = C.VKE_MEMORY_MODEL
	MemoryModelDevice   Feature = C.VKE_MEMORY_MODEL_DEVICE
	MemoryModelChains   Feature = C.VKE_MEMORY_MODEL_CHAINS
	SubgroupSizeControl Feature = C.VKE_SUBGROUP_SIZE_CONTROL
	FullSubgroups       Feature = C.VKE_FULL_SUBGROUPS
	Maintenance4        Feature = C.VKE_MAINTENANCE4
	IntegerDotProduct   Feature = C.VKE_INTEGER_DOT
	CooperativeMatrix   Feature = C.VKE_COOPERATIVE_MATRIX
	features                    = C.VKE_FEATURES
)

var featureNames = [features]string{
	"shaderFloat64", "shaderInt64", "shaderInt16",
	"storageBuffer16BitAccess", "storageBuffer8BitAccess", "shaderBufferInt64Atomics", "shaderInt8",
	"scalarBlockLayout", "hostQueryReset", "timelineSemaphore", "bufferDeviceAddress",
	"vulkanMemoryModel", "vulkanMemoryModelDeviceScope", "vulkanMemoryModelAvailabilityVisibilityChains",
	"subgroupSizeControl", "computeFullSubgroups", "maintenance4",
	"shaderIntegerDotProduct", "cooperativeMatrix",
}

func (f Feature) String() string { return featureNames[f] }

type Features [features]bool

func (s Features) Without(other Features) Features {
	for f, has := range other {
		s[f] = s[f] && !has
	}
	return s
}

// FeatureNamed returns the feature with Vulkan's name. The second result is false if there is none.
func FeatureNamed(name string) (Feature, bool) {
	i := slices.Index(featureNames[:], name)
	return Feature(i), i >= 0
}

// Names lists the names of the features in the set, in the order of the constants.
func (s Features) Names() []string {
	var names []string
	for f, has := range s {
		if has {
			names = append(names, featureNames[f])
		}
	}
	return names
}

// Features reads which features the device offers. The device must support Vulkan 1.2. Features of
// extensions that the device does not know are false.
func (p Physical) Features() Features {
	var has [features]C.VkBool32
	C.vke_get_features(p.c(), p.knows, &has[0])
	var s Features
	for i := range s {
		s[i] = has[i] != 0
	}
	return s
}
