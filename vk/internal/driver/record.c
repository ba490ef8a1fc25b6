// Translates a list of commands into Vulkan calls that record a command buffer. Go calls C only
// once for the whole list.
#include "device.h"

enum {
	BIND_COMPUTE = 1,
	STAGE_COMPUTE = 0x800, STAGE_TRANSFER = 0x1000, STAGE_HOST = 0x4000, STAGE_BOTTOM = 0x2000,
	SHADER_READ = 0x20, SHADER_WRITE = 0x40, TRANSFER_READ = 0x800, TRANSFER_WRITE = 0x1000, HOST_READ = 0x2000,
	SHADER_COMPUTE = 0x20,
};

// barrier orders all commands before the barrier with all commands after it. The later commands see
// the writes of the earlier commands. If moves and host are 0, the barrier covers only dispatches.
// If moves is nonzero, the barrier also covers fills and copies. If host is nonzero, the results
// also become visible to the host, which waits for the batch. Wider barriers take more time, mostly
// on the host.
static void barrier(vke_device *d, VkCommandBuffer cb, int moves, int host) {
	VkMemoryBarrier all = {ST_MEMORY_BARRIER, NULL, SHADER_WRITE, SHADER_READ | SHADER_WRITE};
	VkFlags from = STAGE_COMPUTE, to = STAGE_COMPUTE;
	if (moves || host) {
		all.srcAccessMask |= TRANSFER_WRITE, all.dstAccessMask |= TRANSFER_READ | TRANSFER_WRITE;
		from |= STAGE_TRANSFER, to |= STAGE_TRANSFER;
	}
	if (host) all.dstAccessMask |= HOST_READ, to |= STAGE_HOST;
	d->barrier(cb, from, to, 0, 1, &all, 0, NULL, 0, NULL);
}

// moves tells whether the list of commands from c, inclusive, to end, exclusive, has a fill or a
// copy before its next barrier.
static int moves(const vke_command *c, const vke_command *end) {
	for (; c < end && c->op != VKE_BARRIER; c++) {
		if (c->op == VKE_FILL || c->op == VKE_COPY) return 1;
	}
	return 0;
}

// vke_record ends a batch with a barrier for all commands and the host. The next batch therefore
// needs no barrier at its beginning, and the host can read the results of this batch.
void vke_record(vke_device *d, VkCommandBuffer cb, VkQueryPool pool, uint32_t queries, const vke_command *c, size_t count,
		const uint8_t *push) {
	VkPipeline bound = 0;
	int moved = 0; // since the last barrier
	if (queries) d->reset_queries(cb, pool, 0, queries);
	for (const vke_command *end = c + count; c < end; c++) {
		switch (c->op) {
		case VKE_DISPATCH:
			if (c->a != bound) d->bind(cb, BIND_COMPUTE, bound = c->a);
			if (c->push_size) d->push(cb, c->b, SHADER_COMPUTE, 0, c->push_size, push + c->push);
			d->dispatch(cb, c->groups[0], c->groups[1], c->groups[2]);
			break;
		case VKE_BARRIER:
			barrier(d, cb, moved || moves(c + 1, end), 0);
			moved = 0;
			break;
		case VKE_FILL:
			d->fill(cb, c->a, c->offset_a, c->size, c->word);
			moved = 1;
			break;
		case VKE_COPY: {
			VkBufferCopy region = {c->offset_b, c->offset_a, c->size};
			d->copy(cb, c->b, c->a, 1, &region);
			moved = 1;
			break;
		}
		case VKE_TIMESTAMP:
			d->timestamp(cb, STAGE_BOTTOM, pool, c->word);
			break;
		}
	}
	barrier(d, cb, 1, 1);
}
