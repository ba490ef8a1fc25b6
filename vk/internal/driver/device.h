// The table of the Vulkan functions of one device. device.c fills it, and device.c and record.c
// call the functions. instance.c defines vke_device_proc.
#ifndef VKEVD_DEVICE_H
#define VKEVD_DEVICE_H

#include "shim.h"

struct vke_device {
	VkDevice handle;
	VkQueue queue;
	VkResult (*allocate)(VkDevice, const VkMemoryAllocateInfo *, const void *, VkDeviceMemory *);
	VkResult (*create_buffer)(VkDevice, const VkBufferCreateInfo *, const void *, VkBuffer *);
	VkResult (*host_pointer)(VkDevice, VkEnum, const void *, VkMemoryHostPointerPropertiesEXT *); // may be NULL
	uint64_t (*address)(VkDevice, const VkBufferDeviceAddressInfo *);
	VkResult (*create_layout)(VkDevice, const VkPipelineLayoutCreateInfo *, const void *, VkPipelineLayout *);
	VkResult (*create_pipelines)(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo *,
		const void *, VkPipeline *);
	VkResult (*statistics)(VkDevice, const VkPipelineExecutableInfoKHR *, uint32_t *,
		VkPipelineExecutableStatisticKHR *);
	VkResult (*create_semaphore)(VkDevice, const VkSemaphoreCreateInfo *, const void *, VkSemaphore *);
	void (*destroy_semaphore)(VkDevice, VkSemaphore, const void *);
	VkResult (*wait)(VkDevice, const VkSemaphoreWaitInfo *, uint64_t);
	VkResult (*value)(VkDevice, VkSemaphore, uint64_t *);
	VkResult (*submit)(VkQueue, uint32_t, const VkSubmitInfo *, uint64_t fence);
	void (*bind)(VkCommandBuffer, VkEnum, VkPipeline);
	void (*push)(VkCommandBuffer, VkPipelineLayout, VkFlags, uint32_t, uint32_t, const void *);
	void (*dispatch)(VkCommandBuffer, uint32_t, uint32_t, uint32_t);
	void (*barrier)(VkCommandBuffer, VkFlags, VkFlags, VkFlags, uint32_t, const VkMemoryBarrier *, uint32_t,
		const void *, uint32_t, const void *);
	void (*fill)(VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, uint32_t);
	void (*copy)(VkCommandBuffer, VkBuffer, VkBuffer, uint32_t, const VkBufferCopy *);
	void (*timestamp)(VkCommandBuffer, VkFlags, VkQueryPool, uint32_t);
	void (*reset_queries)(VkCommandBuffer, VkQueryPool, uint32_t, uint32_t);
};

PFN_vkVoidFunction vke_device_proc(VkDevice, const char *name);

#endif
