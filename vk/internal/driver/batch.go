package driver

// #include "shim.h"
import "C"

import "unsafe"

// Batch is a command buffer with its own timestamps. It is recorded again before each use, and must
// not be recorded while it is in flight. Only one goroutine at a time may use it.
type Batch struct {
	pool    bCommandPool
	cb      bCommandBuffer
	queries bQueryPool
}

func (b *Batch) c() C.VkCommandBuffer { return *(*C.VkCommandBuffer)(unsafe.Pointer(&b.cb)) }

// NewBatch makes a command buffer of the queue family, and a pool for the given number of
// timestamps. The caller destroys the batch. The error is an *Error. If NewBatch fails, it leaves
// no Vulkan object.
func (d *Device) NewBatch(family int, timestamps int) (*Batch, error) {
	b := &Batch{}
	err := d.fillBatch(b, family, timestamps)
	if err != nil {
		d.DestroyBatch(b)
		return nil, err
	}
	return b, nil
}

// fillBatch makes the objects of the empty batch `b`. After an error the caller calls DestroyBatch.
func (d *Device) fillBatch(b *Batch, family, timestamps int) error {
	pool := bCommandPoolCreateInfo{SType: bStructureTypeCommandPoolCreateInfo, QueueFamilyIndex: uint32(family)}
	pool.Flags |= bCommandPoolCreateFlags(bCommandPoolCreateResetCommandBufferBit)
	err := created(try("vkCreateCommandPool", func() Result {
		return Result(bCreateCommandPool(d.handle, &pool, nil, &b.pool))
	}))
	pool.Free()
	if err != nil {
		return err
	}
	one := make([]bCommandBuffer, 1)
	alloc := bCommandBufferAllocateInfo{
		SType: bStructureTypeCommandBufferAllocateInfo, CommandPool: b.pool,
		Level: bCommandBufferLevelPrimary, CommandBufferCount: 1,
	}
	err = try("vkAllocateCommandBuffers", func() Result { return Result(bAllocateCommandBuffers(d.handle, &alloc, one)) })
	alloc.Free()
	if err != nil {
		return err
	}
	b.cb = one[0]
	query := bQueryPoolCreateInfo{
		SType: bStructureTypeQueryPoolCreateInfo, QueryType: bQueryTypeTimestamp, QueryCount: uint32(timestamps),
	}
	err = created(try("vkCreateQueryPool", func() Result {
		return Result(bCreateQueryPool(d.handle, &query, nil, &b.queries))
	}))
	query.Free()
	return err
}

// DestroyBatch destroys a batch that is not in flight. It also works for a batch that fillBatch has
// made only in part.
func (d *Device) DestroyBatch(b *Batch) {
	if raw(b.queries) != 0 {
		bDestroyQueryPool(d.handle, b.queries, nil)
		destroyed()
	}
	if raw(b.pool) != 0 {
		bDestroyCommandPool(d.handle, b.pool, nil)
		destroyed()
	}
}

// Record fills the batch with commands. `push` holds the push constants of all dispatches, and
// `timestamps` is the number of timestamps used. Record adds a barrier after the commands, for all
// later batches and for the host. The batch must not be in flight. `commands` and `push` are not
// used after the call.
func (d *Device) Record(b *Batch, commands []Command, push []byte, timestamps int) error {
	info := bCommandBufferBeginInfo{SType: bStructureTypeCommandBufferBeginInfo}
	info.Flags |= bCommandBufferUsageFlags(bCommandBufferUsageOneTimeSubmitBit) // each recording is submitted once
	err := try("vkBeginCommandBuffer", func() Result { return Result(bBeginCommandBuffer(b.cb, &info)) })
	info.Free()
	if err != nil {
		return err
	}
	if len(commands) > 0 {
		if len(push) == 0 {
			push = make([]byte, 1)
		}
		C.vke_record(d.table, b.c(), C.VkQueryPool(raw(b.queries)), C.uint32_t(timestamps),
			(*C.vke_command)(unsafe.Pointer(&commands[0])), C.size_t(len(commands)), (*C.uint8_t)(unsafe.Pointer(&push[0])))
	}
	return tryToEnd("vkEndCommandBuffer", func() Result { return Result(bEndCommandBuffer(b.cb)) })
}

// Timestamps reads the first n timestamps of a batch that has ended. The unit is one tick of
// Properties.TimestampPeriod nanoseconds. The number n must not exceed the number of timestamps
// given to Record.
func (d *Device) Timestamps(b *Batch, n int) ([]uint64, error) {
	if n == 0 {
		return nil, nil
	}
	ticks := make([]uint64, n)
	err := try("vkGetQueryPoolResults", func() Result {
		at := unsafe.Pointer(&ticks[0])
		return Result(bGetQueryPoolResults(d.handle, b.queries, 0, uint32(n), bSize(8*n), at, 8, 1))
	})
	return ticks, err
}
