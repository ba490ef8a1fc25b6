#include "device.h"

enum {
	BIND_COMPUTE = 1,
	STAGE_COMPUTE = 0x800, STAGE_TRANSFER = 0x1000, STAGE_HOST = 0x4000, STAGE_BOTTOM = 0x2000,
	SHADER_READ = 0x20, SHADER_WRITE = 0x40, TRANSFER_READ = 0x800, TRANSFER_WRITE = 0x1000, HOST_READ = 0x2000,
	SHADER_COMPUTE = 0x20,
};

// The barrier between any two commands, and between a batch and the host that
// waits for it: everything written before is visible to everything after.
static void full_barrier(vke_device *d, VkCommandBuffer cb) {
	VkMemoryBarrier all = {ST_MEMORY_BARRIER, NULL, SHADER_WRITE | TRANSFER_WRITE,
		SHADER_READ | SHADER_WRITE | TRANSFER_READ | TRANSFER_WRITE | HOST_READ};
	d->barrier(cb, STAGE_COMPUTE | STAGE_TRANSFER, STAGE_COMPUTE | STAGE_TRANSFER | STAGE_HOST, 0, 1, &all, 0, NULL, 0, NULL);
}

void vke_record(vke_device *d, VkCommandBuffer cb, VkQueryPool pool, uint32_t queries, const vke_command *c, size_t count,
		const uint8_t *push) {
	VkPipeline bound = 0;
	if (queries) d->reset_queries(cb, pool, 0, queries);
	for (const vke_command *end = c + count; c < end; c++) {
		switch (c->op) {
		case VKE_DISPATCH:
			if (c->a != bound) d->bind(cb, BIND_COMPUTE, bound = c->a);
			if (c->push_size) d->push(cb, c->b, SHADER_COMPUTE, 0, c->push_size, push + c->push);
			d->dispatch(cb, c->groups[0], c->groups[1], c->groups[2]);
			break;
		case VKE_BARRIER:
			full_barrier(d, cb);
			break;
		case VKE_FILL:
			d->fill(cb, c->a, c->offset_a, c->size, c->word);
			break;
		case VKE_COPY: {
			VkBufferCopy region = {c->offset_b, c->offset_a, c->size};
			d->copy(cb, c->b, c->a, 1, &region);
			break;
		}
		case VKE_TIMESTAMP:
			d->timestamp(cb, STAGE_BOTTOM, pool, c->word);
			break;
		}
	}
}
