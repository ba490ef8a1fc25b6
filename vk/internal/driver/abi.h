// The part of Vulkan's C interface that the C files of this package use. It is declared here, so
// that building needs no Vulkan headers. Names and layouts are those of the Vulkan specification.
// abi_test.go compares the layouts with those of a Khronos header if it finds a header.
#ifndef VKEVD_ABI_H
#define VKEVD_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t VkBool32;
typedef uint64_t VkDeviceSize;
typedef int32_t VkResult;
typedef uint32_t VkFlags;
typedef int32_t VkEnum;

typedef struct VkInstance_T *VkInstance;
typedef struct VkPhysicalDevice_T *VkPhysicalDevice;
typedef struct VkDevice_T *VkDevice;
typedef struct VkQueue_T *VkQueue;
typedef struct VkCommandBuffer_T *VkCommandBuffer;
typedef uint64_t VkBuffer, VkDeviceMemory, VkSemaphore, VkPipeline, VkPipelineLayout, VkPipelineCache, VkShaderModule,
	VkQueryPool, VkDebugUtilsMessengerEXT;

typedef void (*PFN_vkVoidFunction)(void);

enum {
	ST_DEVICE_QUEUE = 2,
	ST_DEVICE = 3,
	ST_SUBMIT = 4,
	ST_MEMORY_ALLOCATE = 5,
	ST_SEMAPHORE = 9,
	ST_BUFFER = 12,
	ST_SHADER_STAGE = 18,
	ST_COMPUTE_PIPELINE = 29,
	ST_PIPELINE_LAYOUT = 30,
	ST_MEMORY_BARRIER = 46,
	ST_VULKAN_1_1_FEATURES = 49,
	ST_VULKAN_1_2_FEATURES = 51,
	ST_FEATURES_2 = 1000059000,
	ST_PROPERTIES_2 = 1000059001,
	ST_MEMORY_PROPERTIES_2 = 1000059006,
	ST_MEMORY_ALLOCATE_FLAGS = 1000060000,
	ST_EXTERNAL_BUFFER = 1000072000,
	ST_SUBGROUP_PROPERTIES = 1000094000,
	ST_DEBUG_MESSENGER = 1000128004,
	ST_SM_PROPERTIES = 1000154001,
	ST_MAINTENANCE_3_PROPERTIES = 1000168000,
	ST_IMPORT_HOST_POINTER = 1000178000,
	ST_HOST_POINTER_PROPERTIES = 1000178001,
	ST_AMD_CORE_PROPERTIES = 1000185000,
	ST_DRIVER_PROPERTIES = 1000196000,
	ST_FLOAT_CONTROLS_PROPERTIES = 1000197000,
	ST_SEMAPHORE_TYPE = 1000207002,
	ST_TIMELINE_SUBMIT = 1000207003,
	ST_SEMAPHORE_WAIT = 1000207004,
	ST_SUBGROUP_SIZE_PROPERTIES = 1000225000,
	ST_REQUIRED_SUBGROUP_SIZE = 1000225001,
	ST_SUBGROUP_SIZE_FEATURES = 1000225002,
	ST_AMD_CORE_PROPERTIES_2 = 1000227000,
	ST_MEMORY_BUDGET = 1000237000,
	ST_BUFFER_DEVICE_ADDRESS = 1000244001,
	ST_EXECUTABLE_FEATURES = 1000269000,
	ST_EXECUTABLE = 1000269003,
	ST_EXECUTABLE_STATISTIC = 1000269004,
	ST_INTEGER_DOT_FEATURES = 1000280000,
	ST_INTEGER_DOT_PROPERTIES = 1000280001,
	ST_MAINTENANCE_4_FEATURES = 1000413000,
	ST_MAINTENANCE_4_PROPERTIES = 1000413001,
	ST_COOPERATIVE_MATRIX_FEATURES = 1000506000,
	ST_COOPERATIVE_MATRIX_PROPERTIES = 1000506001,
};

#define VK_HEAD VkEnum sType; const void *pNext

// These structures list features: a head, and an array with one VkBool32 per feature. The lengths
// of the arrays are those of the Vulkan specification. The file instance.c has the index of each
// feature that this package uses.
typedef struct { VK_HEAD; VkBool32 has[55]; } VkPhysicalDeviceFeatures2;
typedef struct { VK_HEAD; VkBool32 has[12]; } VkPhysicalDeviceVulkan11Features;
typedef struct { VK_HEAD; VkBool32 has[47]; } VkPhysicalDeviceVulkan12Features;

// The following three structures are part of Vulkan 1.3. For devices of Vulkan 1.2 they belong to
// extensions.
typedef struct { VK_HEAD; VkBool32 has[2]; } VkPhysicalDeviceSubgroupSizeControlFeatures;
typedef struct { VK_HEAD; VkBool32 has[1]; } VkPhysicalDeviceMaintenance4Features;
typedef struct { VK_HEAD; VkBool32 has[1]; } VkPhysicalDeviceShaderIntegerDotProductFeatures;

// The next two structures belong to the extension VK_KHR_cooperative_matrix, which the headers of
// the Go bindings do not have.
typedef struct { VK_HEAD; VkBool32 has[2]; } VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
typedef struct {
	VK_HEAD; uint32_t MSize, NSize, KSize; VkEnum AType, BType, CType, ResultType; VkBool32 saturatingAccumulation;
	VkEnum scope;
} VkCooperativeMatrixPropertiesKHR;

// opaque holds the 824 bytes of VkPhysicalDeviceProperties. C code does not read them; the Go
// binding does.
typedef struct { VK_HEAD; uint64_t opaque[103]; } VkPhysicalDeviceProperties2;
typedef struct {
	VK_HEAD; VkEnum driverID; char driverName[256], driverInfo[256]; uint8_t conformance[4];
} VkPhysicalDeviceDriverProperties;
typedef struct {
	VK_HEAD; uint32_t subgroupSize; VkFlags supportedStages, supportedOperations; VkBool32 quad;
} VkPhysicalDeviceSubgroupProperties;
typedef struct {
	VK_HEAD; uint32_t maxPerSetDescriptors; VkDeviceSize maxMemoryAllocationSize;
} VkPhysicalDeviceMaintenance3Properties;
typedef struct { VK_HEAD; VkDeviceSize maxBufferSize; } VkPhysicalDeviceMaintenance4Properties;
typedef struct { VK_HEAD; uint32_t shaderSMCount, shaderWarpsPerSM; } VkPhysicalDeviceShaderSMBuiltinsPropertiesNV;
typedef struct {
	VK_HEAD; uint32_t shaderEngineCount, shaderArraysPerEngineCount, computeUnitsPerShaderArray,
		simdPerComputeUnit, wavefrontsPerSimd,
	wavefrontSize, sgprsPerSimd, minSgprAllocation, maxSgprAllocation, sgprAllocationGranularity, vgprsPerSimd,
		minVgprAllocation,
		maxVgprAllocation, vgprAllocationGranularity;
} VkPhysicalDeviceShaderCorePropertiesAMD;
typedef struct {
	VK_HEAD; VkFlags shaderCoreFeatures; uint32_t activeComputeUnitCount;
} VkPhysicalDeviceShaderCoreProperties2AMD;
typedef struct {
	VK_HEAD; uint32_t minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups; VkFlags
	requiredSubgroupSizeStages;
} VkPhysicalDeviceSubgroupSizeControlProperties;

// Each array of length three has one entry for floats of 16 bits, of 32 bits and of 64 bits.
typedef struct {
	VK_HEAD; VkEnum denormBehaviorIndependence, roundingModeIndependence;
	VkBool32 preserve[3], denormPreserve[3], denormFlush[3], roundRTE[3], roundRTZ[3];
} VkPhysicalDeviceFloatControlsProperties;

// Each kind of dot product has three flags: for unsigned factors, for signed factors, and for one
// unsigned and one signed factor.
typedef struct {
	VK_HEAD;
	VkBool32 integerDotProduct8BitUnsignedAccelerated, integerDotProduct8BitSignedAccelerated, mixed8,
		integerDotProduct4x8BitPackedUnsignedAccelerated, integerDotProduct4x8BitPackedSignedAccelerated, mixedPacked,
		wider[9], accumulating[15];
} VkPhysicalDeviceShaderIntegerDotProductProperties;

typedef struct { uint32_t queueFlags, queueCount, timestampValidBits, granularity[3]; } VkQueueFamilyProperties;
typedef struct { char extensionName[256]; uint32_t specVersion; } VkExtensionProperties;
typedef struct { VK_HEAD; uint64_t opaque[65]; } VkPhysicalDeviceMemoryProperties2;
typedef struct { VK_HEAD; VkDeviceSize heapBudget[16], heapUsage[16]; } VkPhysicalDeviceMemoryBudgetPropertiesEXT;

typedef struct {
	VK_HEAD; VkFlags flags; uint32_t queueFamilyIndex, queueCount; const float *pQueuePriorities;
} VkDeviceQueueCreateInfo;
typedef struct {
	VK_HEAD; VkFlags flags;
	uint32_t queueCreateInfoCount; const VkDeviceQueueCreateInfo *pQueueCreateInfos;
	uint32_t enabledLayerCount; const char *const *ppEnabledLayerNames;
	uint32_t enabledExtensionCount; const char *const *ppEnabledExtensionNames;
	const void *pEnabledFeatures;
} VkDeviceCreateInfo;

typedef struct { VK_HEAD; VkDeviceSize allocationSize; uint32_t memoryTypeIndex; } VkMemoryAllocateInfo;
typedef struct { VK_HEAD; VkFlags flags; uint32_t deviceMask; } VkMemoryAllocateFlagsInfo;
typedef struct { VK_HEAD; VkBuffer buffer; } VkBufferDeviceAddressInfo;

// Two of these structures belong to VK_EXT_external_memory_host: that for an import, and the
// properties of an address.
typedef struct {
	VK_HEAD; VkFlags flags; VkDeviceSize size; VkFlags usage; VkEnum sharingMode; uint32_t queueFamilyIndexCount;
	const uint32_t *pQueueFamilyIndices;
} VkBufferCreateInfo;
typedef struct { VK_HEAD; VkFlags handleTypes; } VkExternalMemoryBufferCreateInfo;
typedef struct { VK_HEAD; VkEnum handleType; void *pHostPointer; } VkImportMemoryHostPointerInfoEXT;
typedef struct { VK_HEAD; uint32_t memoryTypeBits; } VkMemoryHostPointerPropertiesEXT;

typedef struct { uint32_t constantID, offset; size_t size; } VkSpecializationMapEntry;
typedef struct {
	uint32_t mapEntryCount; const VkSpecializationMapEntry *pMapEntries; size_t dataSize; const void *pData;
} VkSpecializationInfo;
typedef struct { VK_HEAD; uint32_t requiredSubgroupSize; } VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
typedef struct {
	VK_HEAD; VkFlags flags; VkEnum stage; VkShaderModule module; const char *pName;
	const VkSpecializationInfo *pSpecializationInfo;
} VkPipelineShaderStageCreateInfo;
typedef struct {
	VK_HEAD; VkFlags flags; VkPipelineShaderStageCreateInfo stage; VkPipelineLayout layout;
	VkPipeline basePipelineHandle; int32_t basePipelineIndex;
} VkComputePipelineCreateInfo;
typedef struct { VkFlags stageFlags; uint32_t offset, size; } VkPushConstantRange;
typedef struct {
	VK_HEAD; VkFlags flags; uint32_t setLayoutCount; const void *pSetLayouts;
	uint32_t pushConstantRangeCount; const VkPushConstantRange *pPushConstantRanges;
} VkPipelineLayoutCreateInfo;

typedef struct {
	VK_HEAD; VkBool32 pipelineExecutableInfo;
} VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR;
typedef struct { VK_HEAD; VkPipeline pipeline; uint32_t executableIndex; } VkPipelineExecutableInfoKHR;
typedef struct {
	VK_HEAD; char name[256], description[256]; VkEnum format; union { VkBool32 b32; int64_t i64; uint64_t u64;
	double f64; } value;
} VkPipelineExecutableStatisticKHR;

typedef struct { VK_HEAD; VkFlags flags; } VkSemaphoreCreateInfo;
typedef struct { VK_HEAD; VkEnum semaphoreType; uint64_t initialValue; } VkSemaphoreTypeCreateInfo;
typedef struct {
	VK_HEAD; VkFlags flags; uint32_t semaphoreCount; const VkSemaphore *pSemaphores; const uint64_t *pValues;
} VkSemaphoreWaitInfo;
typedef struct {
	VK_HEAD; uint32_t waitSemaphoreValueCount; const uint64_t *pWaitSemaphoreValues;
	uint32_t signalSemaphoreValueCount; const uint64_t *pSignalSemaphoreValues;
} VkTimelineSemaphoreSubmitInfo;
typedef struct {
	VK_HEAD; uint32_t waitSemaphoreCount; const VkSemaphore *pWaitSemaphores; const VkFlags *pWaitDstStageMask;
	uint32_t commandBufferCount; const VkCommandBuffer *pCommandBuffers;
	uint32_t signalSemaphoreCount; const VkSemaphore *pSignalSemaphores;
} VkSubmitInfo;

typedef struct { VK_HEAD; VkFlags srcAccessMask, dstAccessMask; } VkMemoryBarrier;
typedef struct { VkDeviceSize srcOffset, dstOffset, size; } VkBufferCopy;

typedef struct {
	VK_HEAD; VkFlags flags; const char *pMessageIdName; int32_t messageIdNumber; const char *pMessage;
	uint32_t queueLabelCount; const void *pQueueLabels; uint32_t cmdBufLabelCount; const void *pCmdBufLabels;
	uint32_t objectCount; const void *pObjects;
} VkDebugUtilsMessengerCallbackDataEXT;
typedef VkBool32 (*PFN_vkDebugUtilsMessengerCallbackEXT)(VkEnum, VkFlags,
	const VkDebugUtilsMessengerCallbackDataEXT *, void *);
typedef struct {
	VK_HEAD; VkFlags flags, messageSeverity, messageType;
	PFN_vkDebugUtilsMessengerCallbackEXT pfnUserCallback; void *pUserData;
} VkDebugUtilsMessengerCreateInfoEXT;

#endif
