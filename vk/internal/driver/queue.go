package driver

// #include "shim.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

// Command is one entry of a batch; the layout is C's vke_command.
type Command struct {
	Op, Word         uint32
	A, B             uint64
	OffsetA, OffsetB uint64
	Size             uint64
	Groups           [3]uint32
	Push, PushSize   uint32
	_                uint32
}

// Kinds of Command.
const (
	OpDispatch  = C.VKE_DISPATCH  // A pipeline, B layout
	OpBarrier   = C.VKE_BARRIER   // full compute and transfer barrier
	OpFill      = C.VKE_FILL      // A buffer at OffsetA, Size bytes of Word
	OpCopy      = C.VKE_COPY      // A at OffsetA from B at OffsetB
	OpTimestamp = C.VKE_TIMESTAMP // into query Word
)

// Raw is the buffer's handle for Command.A and B.
func (b *Buffer) Raw() uint64 { return uint64(raw(b.handle)) }

// Batch is a command buffer with timestamps of its own.
type Batch struct {
	pool    bCommandPool
	cb      bCommandBuffer
	queries bQueryPool
}

// NewBatch makes a command buffer of the queue family, with room for the number of timestamps.
func (d *Device) NewBatch(family int, timestamps int) (*Batch, error) {
	b := &Batch{}
	err := d.fillBatch(b, family, timestamps)
	if err != nil {
		d.DestroyBatch(b)
		return nil, err
	}
	return b, nil
}

func (d *Device) fillBatch(b *Batch, family, timestamps int) error {
	pool := bCommandPoolCreateInfo{SType: bStructureTypeCommandPoolCreateInfo, QueueFamilyIndex: uint32(family)}
	pool.Flags |= bCommandPoolCreateFlags(bCommandPoolCreateResetCommandBufferBit) // a batch is recorded anew for each use
	err := created(try("vkCreateCommandPool", func() Result { return Result(bCreateCommandPool(d.handle, &pool, nil, &b.pool)) }))
	pool.Free()
	if err != nil {
		return err
	}
	one := make([]bCommandBuffer, 1)
	alloc := bCommandBufferAllocateInfo{
		SType: bStructureTypeCommandBufferAllocateInfo, CommandPool: b.pool, Level: bCommandBufferLevelPrimary, CommandBufferCount: 1,
	}
	err = try("vkAllocateCommandBuffers", func() Result { return Result(bAllocateCommandBuffers(d.handle, &alloc, one)) })
	alloc.Free()
	if err != nil {
		return err
	}
	b.cb = one[0]
	query := bQueryPoolCreateInfo{SType: bStructureTypeQueryPoolCreateInfo, QueryType: bQueryTypeTimestamp, QueryCount: uint32(timestamps)}
	err = created(try("vkCreateQueryPool", func() Result { return Result(bCreateQueryPool(d.handle, &query, nil, &b.queries)) }))
	query.Free()
	return err
}

// DestroyBatch releases a batch that is not running.
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

// Record fills the batch. push holds all push constants; timestamps is the number of queries used.
func (d *Device) Record(b *Batch, commands []Command, push []byte, timestamps int) error {
	info := bCommandBufferBeginInfo{SType: bStructureTypeCommandBufferBeginInfo}
	info.Flags |= bCommandBufferUsageFlags(bCommandBufferUsageOneTimeSubmitBit) // and submitted once
	err := try("vkBeginCommandBuffer", func() Result { return Result(bBeginCommandBuffer(b.cb, &info)) })
	info.Free()
	if err != nil {
		return err
	}
	if len(commands) > 0 {
		if len(push) == 0 {
			push = make([]byte, 1)
		}
		C.vke_record(d.table, *(*C.VkCommandBuffer)(unsafe.Pointer(&b.cb)), C.VkQueryPool(raw(b.queries)), C.uint32_t(timestamps),
			(*C.vke_command)(unsafe.Pointer(&commands[0])), C.size_t(len(commands)), (*C.uint8_t)(unsafe.Pointer(&push[0])))
	}
	return tryToEnd("vkEndCommandBuffer", func() Result { return Result(bEndCommandBuffer(b.cb)) })
}

// Timestamps reads the first n timestamps of a batch that has ended, in ticks.
func (d *Device) Timestamps(b *Batch, n int) ([]uint64, error) {
	if n == 0 {
		return nil, nil
	}
	ticks := make([]uint64, n)
	err := try("vkGetQueryPoolResults", func() Result {
		return Result(bGetQueryPoolResults(d.handle, b.queries, 0, uint32(n), bSize(8*n), unsafe.Pointer(&ticks[0]), 8, 1))
	})
	return ticks, err
}

// Timeline is a timeline semaphore, at 0 to begin with.
type Timeline struct{ handle C.VkSemaphore }

// NewTimeline makes one.
func (d *Device) NewTimeline() (*Timeline, error) {
	t := &Timeline{}
	err := created(try("vkCreateSemaphore", func() Result { return Result(C.vke_timeline(d.table, &t.handle)) }))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// DestroyTimeline releases it; no batch that signals it may be running.
func (d *Device) DestroyTimeline(t *Timeline) {
	C.vke_destroy_semaphore(d.table, t.handle)
	destroyed()
}

// Submit starts a batch that moves the timeline to value when it ends.
func (d *Device) Submit(b *Batch, t *Timeline, value uint64) error {
	return try("vkQueueSubmit", func() Result {
		return Result(C.vke_submit(d.table, *(*C.VkCommandBuffer)(unsafe.Pointer(&b.cb)), t.handle, C.uint64_t(value)))
	})
}

// ErrTimeout is Wait's answer when the time is over first.
var ErrTimeout = errors.New("timed out")

// Wait waits until the timeline has reached value.
func (d *Device) Wait(t *Timeline, value uint64, limit time.Duration) error {
	var r Result
	err := try("vkWaitSemaphores", func() Result {
		r = Result(C.vke_wait(d.table, t.handle, C.uint64_t(value), C.uint64_t(limit.Nanoseconds())))
		return r
	})
	if err == nil && r == Timeout {
		return ErrTimeout
	}
	return err
}

// Value is where the timeline stands.
func (d *Device) Value(t *Timeline) (uint64, error) {
	var v C.uint64_t
	err := try("vkGetSemaphoreCounterValue", func() Result { return Result(C.vke_value(d.table, t.handle, &v)) })
	return uint64(v), err
}

const commandSize = C.sizeof_vke_command // what Command must have
