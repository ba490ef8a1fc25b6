// C functions for Vulkan calls that the Go bindings do not offer, or do not offer safely:
// - calls with several structures, because the bindings free the structures while the driver reads
//   them;
// - calls that are newer than Vulkan 1.0;
// - recording of commands, so that one call from Go records a whole batch.
#ifndef VKEVD_SHIM_H
#define VKEVD_SHIM_H

#include "abi.h"

// loader.c opens the Vulkan loader (libvulkan) at run time.
void *vke_open_loader(const char **error);

// instance.c has the functions of instances and physical devices.
typedef struct vke_messages vke_messages;
void vke_load_global(void *get_instance_proc_addr);
// vke_has_portability tells whether the loader can list drivers that implement only a part of
// Vulkan.
int vke_has_portability(void);
void vke_load_instance(VkInstance instance);
VkResult vke_device_extensions(VkPhysicalDevice, VkExtensionProperties *out, uint32_t *count);
void vke_queue_families(VkPhysicalDevice, VkQueueFamilyProperties *out, uint32_t *count);
void vke_memory_budget(VkPhysicalDevice, VkDeviceSize *budget, VkDeviceSize *usage);

// These bits stand for structures of properties and features that a device may know in addition to
// those of Vulkan 1.2.
enum {
	VKE_KNOWS_SUBGROUP_SIZE = 1, VKE_KNOWS_MAINTENANCE4 = 2, // part of Vulkan 1.3, or of an extension
	VKE_KNOWS_NV_UNITS = 4, VKE_KNOWS_AMD_UNITS = 8, VKE_KNOWS_AMD_UNITS_2 = 16,
	VKE_KNOWS_INTEGER_DOT = 32, VKE_KNOWS_COOPERATIVE_MATRIX = 64,
};

typedef struct {
	char driver_name[256], driver_info[256];
	int32_t driver_id;
	uint32_t subgroup, subgroup_ops;
	// Smallest and largest subgroup size that a pipeline may require, and the largest number of
	// such subgroups in a workgroup. All three are 0 if a pipeline cannot require a size.
	uint32_t min_subgroup, max_subgroup, max_subgroups;
	uint64_t max_allocation, max_buffer;
	uint32_t units;
	uint32_t fast_dots; // nonzero: dot products of four packed signed bytes are fast
	// Modes of floating-point arithmetic of 16 bits [0], 32 bits [1] and 64 bits [2]: signs of
	// zeros, infinities and NaN are kept; subnormals are kept; results are rounded to the nearest
	// number, ties to even.
	uint32_t preserve[3], subnormals[3], nearest[3];
	uint32_t together; // bits: all widths have the same mode of subnormals (1), of rounding (2)
} vke_properties;
void vke_get_properties(VkPhysicalDevice, int knows, vke_properties *out);

// These are the indices of features in the arrays that vke_get_features fills and vke_create_device
// reads.
enum {
	VKE_FLOAT64, VKE_INT64, VKE_INT16,
	VKE_STORAGE16, VKE_STORAGE8, VKE_INT64_ATOMICS, VKE_INT8, VKE_SCALAR_LAYOUT, VKE_HOST_QUERY_RESET, VKE_TIMELINE,
	VKE_DEVICE_ADDRESS, VKE_MEMORY_MODEL, VKE_MEMORY_MODEL_DEVICE, VKE_MEMORY_MODEL_CHAINS,
	VKE_SUBGROUP_SIZE_CONTROL, VKE_FULL_SUBGROUPS, VKE_MAINTENANCE4,
	VKE_INTEGER_DOT, VKE_COOPERATIVE_MATRIX,
	VKE_FEATURES
};
// vke_matrix_shapes lists the shapes of cooperative matrices. The device must have the extension
// VK_KHR_cooperative_matrix: for devices without it the loader's function crashes.
VkResult vke_matrix_shapes(VkInstance, VkPhysicalDevice, VkCooperativeMatrixPropertiesKHR *out, uint32_t *count);
void vke_get_features(VkPhysicalDevice, int knows, VkBool32 *out);
VkResult vke_create_device(VkPhysicalDevice, int knows, uint32_t family, const VkBool32 *features, const char
		*const *extensions,
	uint32_t extension_count, int statistics, VkDevice *out);

vke_messages *vke_listen(VkInstance, VkResult *);
void vke_unlisten(VkInstance, vke_messages *);
// vke_next_message removes the oldest message and copies it to out. It returns the bits of the
// message's severity, or 0 if there is no message.
uint32_t vke_next_message(vke_messages *, char *out, size_t size);

// device.c has the functions of logical devices.
typedef struct vke_device vke_device;
vke_device *vke_load_device(VkDevice, VkQueue);
void vke_free_device(vke_device *);
VkResult vke_allocate(vke_device *, uint64_t size, uint32_t type, int addressable, VkDeviceMemory *out);
VkResult vke_host_buffer(vke_device *, uint64_t size, uint32_t usage, VkBuffer *out);
VkResult vke_host_types(vke_device *, void *host, uint32_t *bits);
VkResult vke_import(vke_device *, void *host, uint64_t size, uint32_t type, VkDeviceMemory *out);
uint64_t vke_address(vke_device *, VkBuffer);
VkResult vke_pipeline_layout(vke_device *, uint32_t push_size, VkPipelineLayout *out);
VkResult vke_pipeline(vke_device *, VkPipelineCache, VkPipelineLayout, VkShaderModule, const
		VkSpecializationMapEntry *,
	uint32_t entries, const void *data, size_t size, int full_subgroups,
	uint32_t subgroup_size, int statistics, VkPipeline *out);
// vke_statistics reads the compiler's statistics of a pipeline. The device and the pipeline must
// have been made with a nonzero argument `statistics`.
VkResult vke_statistics(vke_device *, VkPipeline, VkPipelineExecutableStatisticKHR *out, uint32_t *count);
VkResult vke_timeline(vke_device *, VkSemaphore *out);
void vke_destroy_semaphore(vke_device *, VkSemaphore);
VkResult vke_wait(vke_device *, VkSemaphore, uint64_t value, uint64_t timeout_ns);
VkResult vke_value(vke_device *, VkSemaphore, uint64_t *out);
VkResult vke_submit(vke_device *, VkCommandBuffer, VkSemaphore, uint64_t signal);

// record.c records batches of commands.
enum { VKE_DISPATCH, VKE_BARRIER, VKE_FILL, VKE_COPY, VKE_TIMESTAMP };
typedef struct {
	uint32_t op, word;           // word: fill value, or query index of a timestamp
	uint64_t a, b;               // pipeline and layout; or destination and source buffer
	uint64_t offset_a, offset_b; // byte offsets of destination and source
	uint64_t size;               // bytes of a fill or copy
	uint32_t groups[3];
	uint32_t push, push_size;    // range of the push bytes
	uint32_t unused;
} vke_command;
void vke_record(vke_device *, VkCommandBuffer, VkQueryPool, uint32_t queries, const vke_command *, size_t count,
	const uint8_t *push);

#endif
