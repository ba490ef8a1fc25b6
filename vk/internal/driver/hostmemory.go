package driver

// #include <stdlib.h>
// #include "shim.h"
import "C"

import "unsafe"

// hostAlignment is the alignment of host memory that is imported, in bytes. Vulkan allows no device
// to ask for more.
const hostAlignment = 64 << 10

// HostMemory is memory of the host that devices can import. It is not part of Go's heap.
type HostMemory struct {
	// Bytes has the alignment that an import needs.
	Bytes []byte

	at unsafe.Pointer // what was allocated
}

// NewHostMemory allocates size bytes or a little more: a multiple of the alignment, but not 0,
// because no device can import 0 bytes. The caller frees it. The error is an *Error.
func NewHostMemory(size int) (*HostMemory, error) {
	size = (max(size, 1) + hostAlignment - 1) / hostAlignment * hostAlignment
	m := &HostMemory{}
	err := created(try("malloc", func() Result {
		if m.at = C.malloc(C.size_t(size + hostAlignment)); m.at == nil {
			return OutOfHostMemory
		}
		return Success
	}))
	if err != nil {
		return nil, err
	}
	shift := (hostAlignment - int(uintptr(m.at)%hostAlignment)) % hostAlignment
	m.Bytes = unsafe.Slice((*byte)(unsafe.Add(m.at, shift)), size)
	return m, nil
}

// Free frees the memory. It does nothing if m is nil. No device may have the memory imported.
func (m *HostMemory) Free() {
	if m == nil || m.at == nil {
		return
	}
	C.free(m.at)
	destroyed()
	*m = HostMemory{}
}

// Import makes a buffer on the host memory m, without a copy. `types` are the memory types that the
// caller accepts. The device must have HostMemoryExtension. The buffer is for copies only and has
// no device address. The error is an *Error; its result is FeatureMissing if the device can import
// m as none of the types. After an error no object is left.
func (d *Device) Import(m *HostMemory, types []int) (*Buffer, error) {
	const copies = 0x1 | 0x2 // source and destination of transfers
	b := &Buffer{Host: m.Bytes}
	size := C.uint64_t(len(m.Bytes))
	err := created(try("vkCreateBuffer", func() Result {
		return Result(C.vke_host_buffer(d.table, size, copies, (*C.VkBuffer)(unsafe.Pointer(&b.handle))))
	}))
	if err != nil {
		return nil, err
	}
	if err := d.bindImported(b, m, types); err != nil {
		d.FreeBuffer(b)
		return nil, err
	}
	return b, nil
}

// bindImported binds imported memory to the buffer. After an error the caller calls FreeBuffer.
func (d *Device) bindImported(b *Buffer, m *HostMemory, types []int) error {
	var bits C.uint32_t
	host, size := unsafe.Pointer(&m.Bytes[0]), C.uint64_t(len(m.Bytes))
	err := try("vkGetMemoryHostPointerPropertiesEXT", func() Result {
		return Result(C.vke_host_types(d.table, host, &bits))
	})
	if err != nil {
		return err
	}
	var need bMemoryRequirements
	bGetBufferMemoryRequirements(d.handle, b.handle, &need)
	need.Deref()
	bits &= C.uint32_t(need.MemoryTypeBits)
	if uint64(need.Size) > uint64(size) {
		bits = 0
	}
	need.Free()
	for _, t := range types {
		if bits&(1<<t) == 0 {
			continue
		}
		err := created(try("vkAllocateMemory", func() Result {
			memory := (*C.VkDeviceMemory)(unsafe.Pointer(&b.memory))
			return Result(C.vke_import(d.table, host, size, C.uint32_t(t), memory))
		}))
		if err != nil {
			return err
		}
		return try("vkBindBufferMemory", func() Result {
			return Result(bBindBufferMemory(d.handle, b.handle, b.memory, 0))
		})
	}
	return &Error{"vkAllocateMemory", FeatureMissing}
}
