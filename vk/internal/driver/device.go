package driver

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"runtime"
	"slices"
	"unsafe"
)

// Device is a logical device with one queue. Methods are safe for one
// goroutine at a time, as Vulkan asks for.
type Device struct {
	handle     bDevice
	table      *C.vke_device
	statistics C.int // pipelines keep what Statistics reads
}

// NewDevice makes a device with one queue of the family and exactly these features and extensions.
func (p Physical) NewDevice(family int, use Features, extensions []string) (*Device, error) {
	statistics := C.int(0)
	if slices.Contains(extensions, StatisticsExtension) {
		statistics = 1
	}
	var has [features]C.VkBool32
	for i, on := range use {
		if on {
			has[i] = 1
		}
	}
	names, free := cstrings(extensions)
	defer free()
	var handle C.VkDevice
	err := created(try("vkCreateDevice", func() Result {
		return Result(C.vke_create_device(p.c(), p.knows, C.uint32_t(family), &has[0], names, C.uint32_t(len(extensions)), statistics, &handle))
	}))
	if err != nil {
		return nil, err
	}
	d := &Device{handle: *(*bDevice)(unsafe.Pointer(&handle)), statistics: statistics}
	var queue bQueue
	bGetDeviceQueue(d.handle, uint32(family), 0, &queue)
	if d.table = C.vke_load_device(handle, *(*C.VkQueue)(unsafe.Pointer(&queue))); d.table == nil {
		d.Destroy()
		return nil, &Error{"vkCreateDevice", OutOfHostMemory}
	}
	return d, nil
}

// Destroy releases the device; everything made from it must be gone.
func (d *Device) Destroy() {
	C.vke_free_device(d.table)
	bDestroyDevice(d.handle, nil)
	destroyed()
}

// Idle waits until the device has nothing to do.
func (d *Device) Idle() error {
	return try("vkDeviceWaitIdle", func() Result { return Result(bDeviceWaitIdle(d.handle)) })
}

// Buffer is a buffer with memory of its own.
type Buffer struct {
	handle  bBuffer
	memory  bDeviceMemory
	Address uint64 // device address, 0 if it was made without
	Host    []byte // the memory mapped, if the type is host visible
}

// bufferUsage: transfer source and destination, storage, device address.
const bufferUsage = 0x1 | 0x2 | 0x20 | 0x20000

// NewBuffer makes a buffer of size bytes in the first of the memory types, in the given order, that
// it can have and that has enough memory left.
func (d *Device) NewBuffer(size uint64, types []int, mapped bool) (*Buffer, error) {
	b := &Buffer{}
	info := bBufferCreateInfo{SType: bStructureTypeBufferCreateInfo, Size: bDeviceSize(size), Usage: bufferUsage}
	err := created(try("vkCreateBuffer", func() Result { return Result(bCreateBuffer(d.handle, &info, nil, &b.handle)) }))
	info.Free()
	if err != nil {
		return nil, err
	}
	if err := d.back(b, size, types, mapped); err != nil {
		d.FreeBuffer(b)
		return nil, err
	}
	return b, nil
}

func (d *Device) back(b *Buffer, size uint64, types []int, mapped bool) error {
	var need bMemoryRequirements
	bGetBufferMemoryRequirements(d.handle, b.handle, &need)
	need.Deref()
	bits, bytes := need.MemoryTypeBits, uint64(need.Size)
	need.Free()
	err := error(&Error{"vkAllocateMemory", FeatureMissing})
	for _, t := range types {
		if bits&(1<<t) == 0 {
			continue
		}
		err = created(try("vkAllocateMemory", func() Result {
			return Result(C.vke_allocate(d.table, C.uint64_t(bytes), C.uint32_t(t), 1, (*C.VkDeviceMemory)(unsafe.Pointer(&b.memory))))
		}))
		if e := (*Error)(nil); !errors.As(err, &e) || e.Result != OutOfMemory {
			break // nil, too
		}
	}
	if err != nil {
		return err
	}
	if err := try("vkBindBufferMemory", func() Result { return Result(bBindBufferMemory(d.handle, b.handle, b.memory, 0)) }); err != nil {
		return err
	}
	b.Address = uint64(C.vke_address(d.table, raw(b.handle)))
	if !mapped {
		return nil
	}
	var at unsafe.Pointer
	if err := try("vkMapMemory", func() Result { return Result(bMapMemory(d.handle, b.memory, 0, bDeviceSize(size), 0, &at)) }); err != nil {
		return err
	}
	b.Host = unsafe.Slice((*byte)(at), size)
	return nil
}

// FreeBuffer releases a buffer and its memory, mapping included.
func (d *Device) FreeBuffer(b *Buffer) {
	if b == nil {
		return
	}
	bDestroyBuffer(d.handle, b.handle, nil)
	destroyed()
	if raw(b.memory) != 0 {
		bFreeMemory(d.handle, b.memory, nil)
		destroyed()
	}
	*b = Buffer{}
}

// raw is a non-dispatchable handle as Vulkan's 64-bit number.
func raw[H any](h H) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&h)) }

// handle is the way back.
func handle[H any](v C.uint64_t) H { return *(*H)(unsafe.Pointer(&v)) }

// pinned keeps a Go byte slice in place while C memory points at it.
func pinned(p *runtime.Pinner, b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	p.Pin(&b[0])
	return unsafe.Pointer(&b[0])
}
