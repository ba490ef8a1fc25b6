// Prints the Vulkan calls that vke_record makes for a list of commands, one call per line. The
// program's arguments are the commands: D dispatch, B barrier, F fill, C copy, T timestamp.
// record_test.go reads the output.
#include "../record.c"

#include <stdio.h>

static void bind(VkCommandBuffer cb, VkEnum at, VkPipeline p) { printf("bind %d\n", (int)p); }
static void push(VkCommandBuffer cb, VkPipelineLayout l, VkFlags stages, uint32_t at, uint32_t size, const void *from) {
	printf("push %u\n", size);
}
static void dispatch(VkCommandBuffer cb, uint32_t x, uint32_t y, uint32_t z) { printf("dispatch %u %u %u\n", x, y, z); }
static void pipeline_barrier(VkCommandBuffer cb, VkFlags from, VkFlags to, VkFlags flags, uint32_t count, const VkMemoryBarrier *all,
		uint32_t buffers, const void *b, uint32_t images, const void *i) {
	printf("barrier stages %#x to %#x, accesses %#x to %#x\n", from, to, all->srcAccessMask, all->dstAccessMask);
}
static void fill(VkCommandBuffer cb, VkBuffer b, VkDeviceSize at, VkDeviceSize size, uint32_t word) { printf("fill\n"); }
static void copy(VkCommandBuffer cb, VkBuffer from, VkBuffer to, uint32_t count, const VkBufferCopy *r) {
	printf("copy %d at %d to %d at %d\n", (int)from, (int)r->srcOffset, (int)to, (int)r->dstOffset);
}
static void timestamp(VkCommandBuffer cb, VkFlags stage, VkQueryPool p, uint32_t query) { printf("timestamp %#x\n", stage); }
static void reset(VkCommandBuffer cb, VkQueryPool p, uint32_t first, uint32_t count) { printf("reset %u\n", count); }

int main(int argc, char **argv) {
	vke_device d = {
		.bind = bind, .push = push, .dispatch = dispatch, .barrier = pipeline_barrier, .fill = fill, .copy = copy,
		.timestamp = timestamp, .reset_queries = reset,
	};
	vke_command commands[64] = {0};
	size_t count = 0;
	uint32_t queries = 0;
	for (const char *c = argc > 1 ? argv[1] : ""; *c && count < 64; c++) {
		vke_command *out = &commands[count++];
		switch (*c) {
		case 'D': *out = (vke_command){.op = VKE_DISPATCH, .a = 7, .b = 8, .groups = {1, 2, 3}, .push_size = 16}; break;
		case 'B': *out = (vke_command){.op = VKE_BARRIER}; break;
		case 'F': *out = (vke_command){.op = VKE_FILL, .a = 4, .size = 8}; break;
		case 'C': *out = (vke_command){.op = VKE_COPY, .a = 4, .offset_a = 40, .b = 5, .offset_b = 50, .size = 8}; break;
		case 'T': *out = (vke_command){.op = VKE_TIMESTAMP, .word = queries++}; break;
		}
	}
	vke_record(&d, NULL, 0, queries, commands, count, (const uint8_t *)"0123456789abcdef");
	return 0;
}
