package driver

// #include "shim.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Buffer is a buffer with memory of its own. The caller frees it before the device is destroyed.
type Buffer struct {
	handle bBuffer
	memory bDeviceMemory

	Address uint64 // device address of the first byte
	Host    []byte // the memory as the host sees it; nil if it is not mapped
}

// bufferUsage makes every buffer a source and destination of transfers, and a storage buffer with a
// device address.
const bufferUsage = 0x1 | 0x2 | 0x20 | 0x20000

// NewBuffer makes a buffer of `size` bytes in the first of the memory types `types` that Vulkan
// allows for it and that has enough free memory. If `mapped` is true, Host is set, and all types
// must be visible to the host. The error is an *Error: OutOfMemory if every allowed type is full,
// or FeatureMissing if no type is allowed. After an error no Vulkan object is left.
func (d *Device) NewBuffer(size uint64, types []int, mapped bool) (*Buffer, error) {
	b := &Buffer{}
	info := bBufferCreateInfo{SType: bStructureTypeBufferCreateInfo, Size: bDeviceSize(size), Usage: bufferUsage}
	err := created(try("vkCreateBuffer", func() Result {
		return Result(bCreateBuffer(d.handle, &info, nil, &b.handle))
	}))
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

// back allocates memory for the buffer b and binds it. It tries the next type only if the memory of
// one type is full. After an error the caller calls FreeBuffer.
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
			memory := (*C.VkDeviceMemory)(unsafe.Pointer(&b.memory))
			return Result(C.vke_allocate(d.table, C.uint64_t(bytes), C.uint32_t(t), 1, memory))
		}))
		if e := (*Error)(nil); !errors.As(err, &e) || e.Result != OutOfMemory {
			break // no error, or an error other than a lack of memory
		}
	}
	if err != nil {
		return err
	}
	err = try("vkBindBufferMemory", func() Result {
		return Result(bBindBufferMemory(d.handle, b.handle, b.memory, 0))
	})
	if err != nil {
		return err
	}
	b.Address = uint64(C.vke_address(d.table, raw(b.handle)))
	if !mapped {
		return nil
	}
	var at unsafe.Pointer
	err = try("vkMapMemory", func() Result {
		return Result(bMapMemory(d.handle, b.memory, 0, bDeviceSize(size), 0, &at))
	})
	if err != nil {
		return err
	}
	b.Host = unsafe.Slice((*byte)(at), size)
	return nil
}

// FreeBuffer releases a buffer with its memory. It does nothing if `b` is nil. No batch in flight
// may use the buffer. Afterwards `b` is empty.
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
