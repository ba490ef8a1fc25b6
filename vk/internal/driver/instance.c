// Functions for instances and physical devices, and a queue for the messages of validation layers.
#include "device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef PFN_vkVoidFunction (*get_instance_proc)(VkInstance, const char *);

static get_instance_proc get_proc;
static PFN_vkVoidFunction (*get_device_proc)(VkDevice, const char *);

static struct {
	VkResult (*device_extensions)(VkPhysicalDevice, const char *, uint32_t *, VkExtensionProperties *);
	void (*queue_families)(VkPhysicalDevice, uint32_t *, VkQueueFamilyProperties *);
	void (*properties2)(VkPhysicalDevice, VkPhysicalDeviceProperties2 *);
	void (*features2)(VkPhysicalDevice, VkPhysicalDeviceFeatures2 *);
	void (*memory2)(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2 *);
	VkResult (*create_device)(VkPhysicalDevice, const VkDeviceCreateInfo *, const void *, VkDevice *);
	VkResult (*create_messenger)(VkInstance, const VkDebugUtilsMessengerCreateInfoEXT *, const void *,
		VkDebugUtilsMessengerEXT *);
	void (*destroy_messenger)(VkInstance, VkDebugUtilsMessengerEXT, const void *);
} fn;

#define LOAD(instance, field, name) (fn.field = (__typeof__(fn.field))get_proc(instance, name))

void vke_load_global(void *entry) {
	get_proc = (get_instance_proc)entry;
}

int vke_has_portability(void) {
	typedef VkResult (*enumerate)(const char *layer, uint32_t *count, VkExtensionProperties *out);
	enumerate list = (enumerate)get_proc(NULL, "vkEnumerateInstanceExtensionProperties");
	uint32_t count = 0;
	if (!list || list(NULL, &count, NULL) != 0 || count == 0) return 0;
	VkExtensionProperties *all = calloc(count, sizeof *all);
	int found = 0;
	if (all && list(NULL, &count, all) >= 0)
		for (uint32_t i = 0; i < count; i++)
			found |= strcmp(all[i].extensionName, "VK_KHR_portability_enumeration") == 0;
	free(all);
	return found;
}

void vke_load_instance(VkInstance instance) {
	get_device_proc = (__typeof__(get_device_proc))get_proc(instance, "vkGetDeviceProcAddr");
	LOAD(instance, device_extensions, "vkEnumerateDeviceExtensionProperties");
	LOAD(instance, queue_families, "vkGetPhysicalDeviceQueueFamilyProperties");
	LOAD(instance, properties2, "vkGetPhysicalDeviceProperties2");
	LOAD(instance, features2, "vkGetPhysicalDeviceFeatures2");
	LOAD(instance, memory2, "vkGetPhysicalDeviceMemoryProperties2");
	LOAD(instance, create_device, "vkCreateDevice");
	LOAD(instance, create_messenger, "vkCreateDebugUtilsMessengerEXT");
	LOAD(instance, destroy_messenger, "vkDestroyDebugUtilsMessengerEXT");
}

VkResult vke_device_extensions(VkPhysicalDevice device, VkExtensionProperties *out, uint32_t *count) {
	return fn.device_extensions(device, NULL, count, out);
}

void vke_queue_families(VkPhysicalDevice device, VkQueueFamilyProperties *out, uint32_t *count) {
	fn.queue_families(device, count, out);
}

void vke_memory_budget(VkPhysicalDevice device, VkDeviceSize *budget, VkDeviceSize *usage) {
	VkPhysicalDeviceMemoryBudgetPropertiesEXT b = {ST_MEMORY_BUDGET};
	VkPhysicalDeviceMemoryProperties2 m = {ST_MEMORY_PROPERTIES_2, &b};
	fn.memory2(device, &m);
	memcpy(budget, b.heapBudget, sizeof b.heapBudget);
	memcpy(usage, b.heapUsage, sizeof b.heapUsage);
}

// units is the number of multiprocessors or compute units of the device, or 0 if the driver does
// not report this number.
static uint32_t units(int knows, const VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *nv,
		const VkPhysicalDeviceShaderCorePropertiesAMD *amd, const VkPhysicalDeviceShaderCoreProperties2AMD *amd2) {
	if (knows & VKE_KNOWS_NV_UNITS) return nv->shaderSMCount;
	if (knows & VKE_KNOWS_AMD_UNITS_2 && amd2->activeComputeUnitCount) return amd2->activeComputeUnitCount;
	return amd->shaderEngineCount * amd->shaderArraysPerEngineCount * amd->computeUnitsPerShaderArray;
}

void vke_get_properties(VkPhysicalDevice device, int knows, vke_properties *out) {
	enum { COMPUTE_STAGE = 0x20, INDEPENDENT_NONE = 2 };
	VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv = {ST_SM_PROPERTIES};
	VkPhysicalDeviceShaderCorePropertiesAMD amd = {ST_AMD_CORE_PROPERTIES};
	VkPhysicalDeviceShaderCoreProperties2AMD amd2 = {ST_AMD_CORE_PROPERTIES_2};
	VkPhysicalDeviceSubgroupSizeControlProperties size = {ST_SUBGROUP_SIZE_PROPERTIES};
	VkPhysicalDeviceMaintenance4Properties buffer = {ST_MAINTENANCE_4_PROPERTIES};
	VkPhysicalDeviceShaderIntegerDotProductProperties dots = {ST_INTEGER_DOT_PROPERTIES};
	VkPhysicalDeviceFloatControlsProperties floats = {ST_FLOAT_CONTROLS_PROPERTIES};
	VkPhysicalDeviceMaintenance3Properties memory = {ST_MAINTENANCE_3_PROPERTIES, &floats};
	const void *extra = NULL; // chain of the structures that the device knows
	if (knows & VKE_KNOWS_NV_UNITS) nv.pNext = extra, extra = &nv;
	if (knows & VKE_KNOWS_AMD_UNITS) amd.pNext = extra, extra = &amd;
	if (knows & VKE_KNOWS_AMD_UNITS_2) amd2.pNext = extra, extra = &amd2;
	if (knows & VKE_KNOWS_SUBGROUP_SIZE) size.pNext = extra, extra = &size;
	if (knows & VKE_KNOWS_MAINTENANCE4) buffer.pNext = extra, extra = &buffer;
	if (knows & VKE_KNOWS_INTEGER_DOT) dots.pNext = extra, extra = &dots;
	floats.pNext = extra;
	VkPhysicalDeviceSubgroupProperties subgroup = {ST_SUBGROUP_PROPERTIES, &memory};
	VkPhysicalDeviceDriverProperties driver = {ST_DRIVER_PROPERTIES, &subgroup};
	VkPhysicalDeviceProperties2 all = {ST_PROPERTIES_2, &driver};
	fn.properties2(device, &all);
	memcpy(out->driver_name, driver.driverName, sizeof out->driver_name);
	memcpy(out->driver_info, driver.driverInfo, sizeof out->driver_info);
	out->driver_id = driver.driverID;
	out->subgroup = subgroup.subgroupSize;
	out->subgroup_ops = subgroup.supportedOperations;
	out->max_allocation = memory.maxMemoryAllocationSize;
	out->max_buffer = buffer.maxBufferSize;
	out->units = units(knows, &nv, &amd, &amd2);
	out->fast_dots = dots.integerDotProduct4x8BitPackedSignedAccelerated;
	int required = size.requiredSubgroupSizeStages & COMPUTE_STAGE;
	out->min_subgroup = required ? size.minSubgroupSize : 0;
	out->max_subgroup = required ? size.maxSubgroupSize : 0;
	out->max_subgroups = required ? size.maxComputeWorkgroupSubgroups : 0;
	for (int i = 0; i < 3; i++) {
		out->preserve[i] = floats.preserve[i];
		out->subnormals[i] = floats.denormPreserve[i];
		out->nearest[i] = floats.roundRTE[i];
	}
	out->together = floats.denormBehaviorIndependence == INDEPENDENT_NONE;
	out->together |= (uint32_t)(floats.roundingModeIndependence == INDEPENDENT_NONE) << 1;
}

// All feature structures as one chain for Vulkan, and a table with the place of each feature in the
// chain. Structure 0 belongs to Vulkan 1.0, structure 1 to Vulkan 1.1 and structure 2 to Vulkan
// 1.2. The further structures belong to extensions. Three of these extensions are part of Vulkan
// 1.3.
typedef struct {
	VkPhysicalDeviceSubgroupSizeControlFeatures size;
	VkPhysicalDeviceMaintenance4Features maintenance4;
	VkPhysicalDeviceShaderIntegerDotProductFeatures dot;
	VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
	VkPhysicalDeviceVulkan12Features v12;
	VkPhysicalDeviceVulkan11Features v11;
	VkPhysicalDeviceFeatures2 v10;
} feature_chain;

static const struct { uint8_t version, place; } where[VKE_FEATURES] = {
	[VKE_FLOAT64] = {0, 39}, [VKE_INT64] = {0, 40}, [VKE_INT16] = {0, 41},
	[VKE_STORAGE16] = {1, 0}, [VKE_STORAGE8] = {2, 2}, [VKE_INT64_ATOMICS] = {2, 5}, [VKE_INT8] = {2, 8}, [VKE_SCALAR_LAYOUT] = {2, 31},
	[VKE_HOST_QUERY_RESET] = {2, 36}, [VKE_TIMELINE] = {2, 37}, [VKE_DEVICE_ADDRESS] = {2, 38},
	[VKE_MEMORY_MODEL] = {2, 41}, [VKE_MEMORY_MODEL_DEVICE] = {2, 42}, [VKE_MEMORY_MODEL_CHAINS] = {2, 43},
	[VKE_SUBGROUP_SIZE_CONTROL] = {3, 0}, [VKE_FULL_SUBGROUPS] = {3, 1}, [VKE_MAINTENANCE4] = {4, 0},
	[VKE_INTEGER_DOT] = {5, 0}, [VKE_COOPERATIVE_MATRIX] = {6, 0},
};

// chain_features links the feature structures that the device knows, through their members pNext.
// `knows` is a set of VKE_KNOWS_… bits. A structure whose bit is missing is left out.
static void chain_features(feature_chain *c, int knows, const void *last) {
	memset(c, 0, sizeof *c);
	c->size.sType = ST_SUBGROUP_SIZE_FEATURES;
	c->maintenance4.sType = ST_MAINTENANCE_4_FEATURES;
	if (knows & VKE_KNOWS_SUBGROUP_SIZE) c->size.pNext = last, last = &c->size;
	if (knows & VKE_KNOWS_MAINTENANCE4) c->maintenance4.pNext = last, last = &c->maintenance4;
	c->dot.sType = ST_INTEGER_DOT_FEATURES;
	c->matrix.sType = ST_COOPERATIVE_MATRIX_FEATURES;
	if (knows & VKE_KNOWS_INTEGER_DOT) c->dot.pNext = last, last = &c->dot;
	if (knows & VKE_KNOWS_COOPERATIVE_MATRIX) c->matrix.pNext = last, last = &c->matrix;
	c->v12.sType = ST_VULKAN_1_2_FEATURES, c->v12.pNext = last;
	c->v11.sType = ST_VULKAN_1_1_FEATURES, c->v11.pNext = &c->v12;
	c->v10.sType = ST_FEATURES_2, c->v10.pNext = &c->v11;
}

static VkBool32 *feature(feature_chain *c, int i) {
	VkBool32 *row[] = {c->v10.has, c->v11.has, c->v12.has, c->size.has, c->maintenance4.has,
		c->dot.has, c->matrix.has};
	return row[where[i].version] + where[i].place;
}

VkResult vke_matrix_shapes(VkInstance instance, VkPhysicalDevice device, VkCooperativeMatrixPropertiesKHR *out,
		uint32_t *count) {
	typedef VkResult (*enumerate)(VkPhysicalDevice, uint32_t *, VkCooperativeMatrixPropertiesKHR *);
	enumerate list = (enumerate)get_proc(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
	if (!list) {
		*count = 0;
		return 0;
	}
	for (uint32_t i = 0; out && i < *count; i++) out[i].sType = ST_COOPERATIVE_MATRIX_PROPERTIES;
	return list(device, count, out);
}

void vke_get_features(VkPhysicalDevice device, int knows, VkBool32 *out) {
	feature_chain c;
	chain_features(&c, knows, NULL);
	fn.features2(device, &c.v10);
	for (int i = 0; i < VKE_FEATURES; i++) out[i] = *feature(&c, i);
}

VkResult vke_create_device(VkPhysicalDevice physical, int knows, uint32_t family, const VkBool32 *features,
		const char *const *extensions, uint32_t extension_count, int statistics, VkDevice *out) {
	VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {ST_EXECUTABLE_FEATURES, NULL, 1};
	feature_chain c;
	chain_features(&c, knows, statistics ? &executables : NULL);
	for (int i = 0; i < VKE_FEATURES; i++) *feature(&c, i) = features[i];
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		ST_DEVICE_QUEUE, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		ST_DEVICE, &c.v10,
		.queueCreateInfoCount = 1, .pQueueCreateInfos = &queue,
		.enabledExtensionCount = extension_count, .ppEnabledExtensionNames = extensions,
	};
	return fn.create_device(physical, &info, NULL, out);
}

// Messages of the validation layers arrive on any thread, and also during calls from Go. They are
// stored here until Go reads them. If the store is full, later messages are dropped, because the
// first messages usually explain the later ones.
enum { MESSAGES = 256, MESSAGE_SIZE = 4096 };

struct vke_messages {
	pthread_mutex_t lock;
	VkDebugUtilsMessengerEXT messenger;
	void (*destroy)(VkInstance, VkDebugUtilsMessengerEXT, const void *); // of the same instance
	uint32_t first, count;
	uint32_t severity[MESSAGES];
	char text[MESSAGES][MESSAGE_SIZE];
};

static VkBool32 on_message(VkEnum severity, VkFlags type, const VkDebugUtilsMessengerCallbackDataEXT *data, void
		*user) {
	(void)type;
	vke_messages *m = user;
	pthread_mutex_lock(&m->lock);
	if (m->count < MESSAGES) { // if the store is full, drop the message
		uint32_t at = (m->first + m->count++) % MESSAGES;
		m->severity[at] = (uint32_t)severity;
		strncpy(m->text[at], data->pMessage ? data->pMessage : "", MESSAGE_SIZE - 1);
		m->text[at][MESSAGE_SIZE - 1] = 0;
	}
	pthread_mutex_unlock(&m->lock);
	return 0;
}

vke_messages *vke_listen(VkInstance instance, VkResult *result) {
	vke_messages *m = calloc(1, sizeof *m);
	if (!m) {
		*result = -1;
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	m->destroy = fn.destroy_messenger;
	VkDebugUtilsMessengerCreateInfoEXT info = {
		ST_DEBUG_MESSENGER,
		.messageSeverity = 0x100 | 0x1000, // warnings and errors
		.messageType = 0x2 | 0x4,          // validation and performance
		.pfnUserCallback = on_message,
		.pUserData = m,
	};
	*result = fn.create_messenger ? fn.create_messenger(instance, &info, NULL, &m->messenger) : -7;
	if (*result) {
		free(m);
		return NULL;
	}
	return m;
}

void vke_unlisten(VkInstance instance, vke_messages *m) {
	m->destroy(instance, m->messenger, NULL);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

uint32_t vke_next_message(vke_messages *m, char *out, size_t size) {
	uint32_t severity = 0;
	pthread_mutex_lock(&m->lock);
	if (m->count) {
		severity = m->severity[m->first];
		strncpy(out, m->text[m->first], size - 1);
		out[size - 1] = 0;
		m->first = (m->first + 1) % MESSAGES;
		m->count--;
	}
	pthread_mutex_unlock(&m->lock);
	return severity;
}

PFN_vkVoidFunction vke_device_proc(VkDevice device, const char *name) { return get_device_proc(device, name); }
