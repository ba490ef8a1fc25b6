// Functions for the Vulkan calls of one device: memory, pipelines, timeline semaphores, submission.
#include "device.h"

#include <stdlib.h>

enum { COMPUTE = 0x20, ADDRESSABLE = 0x2, TIMELINE = 1, FULL_SUBGROUPS = 0x2, CAPTURE_STATISTICS = 0x40 };

// vke_load_device looks up the Vulkan functions of this device. It returns NULL if the host has no
// free memory.
vke_device *vke_load_device(VkDevice handle, VkQueue queue) {
	vke_device *d = calloc(1, sizeof *d);
	if (!d) return NULL;
	d->handle = handle;
	d->queue = queue;
#define LOAD(field, name) (d->field = (__typeof__(d->field))vke_device_proc(handle, name))
	LOAD(allocate, "vkAllocateMemory");
	LOAD(create_buffer, "vkCreateBuffer");
	LOAD(host_pointer, "vkGetMemoryHostPointerPropertiesEXT");
	LOAD(address, "vkGetBufferDeviceAddress");
	LOAD(create_layout, "vkCreatePipelineLayout");
	LOAD(create_pipelines, "vkCreateComputePipelines");
	LOAD(statistics, "vkGetPipelineExecutableStatisticsKHR");
	LOAD(create_semaphore, "vkCreateSemaphore");
	LOAD(destroy_semaphore, "vkDestroySemaphore");
	LOAD(wait, "vkWaitSemaphores");
	LOAD(value, "vkGetSemaphoreCounterValue");
	LOAD(submit, "vkQueueSubmit");
	LOAD(bind, "vkCmdBindPipeline");
	LOAD(push, "vkCmdPushConstants");
	LOAD(dispatch, "vkCmdDispatch");
	LOAD(barrier, "vkCmdPipelineBarrier");
	LOAD(fill, "vkCmdFillBuffer");
	LOAD(copy, "vkCmdCopyBuffer");
	LOAD(timestamp, "vkCmdWriteTimestamp");
	LOAD(reset_queries, "vkCmdResetQueryPool");
#undef LOAD
	return d;
}

void vke_free_device(vke_device *d) { free(d); }

// vke_allocate allocates size bytes of a memory type. The argument addressable must be nonzero if
// the memory is for a buffer that has a device address.
VkResult vke_allocate(vke_device *d, uint64_t size, uint32_t type, int addressable, VkDeviceMemory *out) {
	VkMemoryAllocateFlagsInfo flags = {ST_MEMORY_ALLOCATE_FLAGS, .flags = ADDRESSABLE};
	VkMemoryAllocateInfo info = {ST_MEMORY_ALLOCATE, addressable ? &flags : NULL, size, type};
	return d->allocate(d->handle, &info, NULL, out);
}

enum { HOST_ALLOCATION = 0x80 }; // the handle type of memory that the host has allocated

// vke_host_buffer makes a buffer that can be bound to imported host memory.
VkResult vke_host_buffer(vke_device *d, uint64_t size, uint32_t usage, VkBuffer *out) {
	VkExternalMemoryBufferCreateInfo external = {ST_EXTERNAL_BUFFER, NULL, HOST_ALLOCATION};
	VkBufferCreateInfo info = {ST_BUFFER, &external, 0, size, usage};
	return d->create_buffer(d->handle, &info, NULL, out);
}

// vke_host_types sets bit i of *bits if the device can import the memory at the host address `host`
// as memory type i. All other bits are 0.
VkResult vke_host_types(vke_device *d, void *host, uint32_t *bits) {
	VkMemoryHostPointerPropertiesEXT found = {ST_HOST_POINTER_PROPERTIES};
	VkResult r = d->host_pointer(d->handle, HOST_ALLOCATION, host, &found);
	*bits = found.memoryTypeBits;
	return r;
}

// vke_import makes size bytes at the host address `host` usable by the device, as memory of the
// given type. The result is a VkDeviceMemory. The host memory is not copied.
VkResult vke_import(vke_device *d, void *host, uint64_t size, uint32_t type, VkDeviceMemory *out) {
	VkImportMemoryHostPointerInfoEXT import = {ST_IMPORT_HOST_POINTER, NULL, HOST_ALLOCATION, host};
	VkMemoryAllocateInfo info = {ST_MEMORY_ALLOCATE, &import, size, type};
	return d->allocate(d->handle, &info, NULL, out);
}

uint64_t vke_address(vke_device *d, VkBuffer buffer) {
	VkBufferDeviceAddressInfo info = {ST_BUFFER_DEVICE_ADDRESS, NULL, buffer};
	return d->address(d->handle, &info);
}

// vke_pipeline_layout makes a layout without descriptor sets and with push_size bytes of push
// constants.
VkResult vke_pipeline_layout(vke_device *d, uint32_t push_size, VkPipelineLayout *out) {
	VkPushConstantRange range = {COMPUTE, 0, push_size};
	VkPipelineLayoutCreateInfo info = {ST_PIPELINE_LAYOUT, .pushConstantRangeCount = push_size ? 1 : 0,
		.pPushConstantRanges = &range};
	return d->create_layout(d->handle, &info, NULL, out);
}

// vke_pipeline compiles the entry point `main` of a shader module to a compute pipeline. If
// subgroup_size is 0, the driver chooses the subgroup size.
VkResult vke_pipeline(vke_device *d, VkPipelineCache cache, VkPipelineLayout layout, VkShaderModule module,
		const VkSpecializationMapEntry *entries, uint32_t count, const void *data, size_t size,
		int full_subgroups, uint32_t subgroup_size, int statistics, VkPipeline *out) {
	VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {ST_REQUIRED_SUBGROUP_SIZE, NULL, subgroup_size};
	VkSpecializationInfo spec = {count, entries, size, data};
	VkComputePipelineCreateInfo info = {
		ST_COMPUTE_PIPELINE, .flags = statistics ? CAPTURE_STATISTICS : 0,
		.stage = {ST_SHADER_STAGE, subgroup_size ? &required : NULL, full_subgroups ? FULL_SUBGROUPS : 0,
			COMPUTE, module, "main", &spec},
		.layout = layout, .basePipelineIndex = -1,
	};
	return d->create_pipelines(d->handle, cache, 1, &info, NULL, out);
}

VkResult vke_statistics(vke_device *d, VkPipeline pipeline, VkPipelineExecutableStatisticKHR *out, uint32_t *count) {
	VkPipelineExecutableInfoKHR which = {ST_EXECUTABLE, NULL, pipeline, 0}; // 0: a compute pipeline has one executable
	for (uint32_t i = 0; out && i < *count; i++) out[i].sType = ST_EXECUTABLE_STATISTIC;
	return d->statistics(d->handle, &which, count, out);
}

VkResult vke_timeline(vke_device *d, VkSemaphore *out) {
	VkSemaphoreTypeCreateInfo type = {ST_SEMAPHORE_TYPE, NULL, TIMELINE, 0};
	VkSemaphoreCreateInfo info = {ST_SEMAPHORE, &type, 0};
	return d->create_semaphore(d->handle, &info, NULL, out);
}

void vke_destroy_semaphore(vke_device *d, VkSemaphore s) { d->destroy_semaphore(d->handle, s, NULL); }

VkResult vke_wait(vke_device *d, VkSemaphore s, uint64_t value, uint64_t timeout_ns) {
	VkSemaphoreWaitInfo info = {ST_SEMAPHORE_WAIT, NULL, 0, 1, &s, &value};
	return d->wait(d->handle, &info, timeout_ns);
}

VkResult vke_value(vke_device *d, VkSemaphore s, uint64_t *out) { return d->value(d->handle, s, out); }

// vke_submit submits a command buffer. When its commands have ended, the counter of the timeline
// semaphore s is set to the value signal.
VkResult vke_submit(vke_device *d, VkCommandBuffer commands, VkSemaphore s, uint64_t signal) {
	VkTimelineSemaphoreSubmitInfo values = {ST_TIMELINE_SUBMIT, .signalSemaphoreValueCount = 1,
		.pSignalSemaphoreValues = &signal};
	VkSubmitInfo info = {
		ST_SUBMIT, &values, .commandBufferCount = 1, .pCommandBuffers = &commands,
		.signalSemaphoreCount = 1, .pSignalSemaphores = &s,
	};
	return d->submit(d->queue, 1, &info, 0);
}
