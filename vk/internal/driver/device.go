package driver

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// Device is a logical device with one queue. Several goroutines may use a device at the same time,
// with three exceptions. Only one goroutine at a time may call Submit or Idle. Only one goroutine
// at a time may use a batch. An object must not be destroyed while another goroutine uses it.
type Device struct {
	handle bDevice
	table  *C.vke_device

	// statistics is 1 if pipelines keep the data that Statistics reads.
	statistics C.int
}

// NewDevice makes a logical device with one queue of the given queue family. `use` and `extensions`
// are all features and extensions that it gets; the physical device must have them. The caller
// destroys the device.
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
		count := C.uint32_t(len(extensions))
		return Result(C.vke_create_device(p.c(), p.knows, C.uint32_t(family), &has[0], names, count, statistics, &handle))
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

// Destroy destroys the device, after all objects that were made from it.
func (d *Device) Destroy() {
	C.vke_free_device(d.table)
	bDestroyDevice(d.handle, nil)
	destroyed()
}

// Idle waits until no batch is in flight. No other goroutine may submit at the same time. If the
// device is lost, Idle returns an *Error.
func (d *Device) Idle() error {
	return try("vkDeviceWaitIdle", func() Result { return Result(bDeviceWaitIdle(d.handle)) })
}

// raw converts a handle to a 64-bit number. In the bindings handles are C pointers.
func raw[H any](h H) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&h)) }

// handle converts a 64-bit number to a handle. It is the inverse of the function `raw`.
func handle[H any](v C.uint64_t) H { return *(*H)(unsafe.Pointer(&v)) }

// pinned returns the address of the bytes, or nil if there are none, for a field of a C structure.
// The garbage collector does not move or free them until the pinner is released.
func pinned(p *runtime.Pinner, b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	p.Pin(&b[0])
	return unsafe.Pointer(&b[0])
}
