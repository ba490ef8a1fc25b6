package driver

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"runtime"
	"slices"
	"unsafe"
)

// Device is a logical device with one queue. Goroutines may use it at the same time, except for
// these operations: recording, submitting and waiting for batches, and destroying an object that is
// in use.
type Device struct {
	handle bDevice
	table  *C.vke_device

	// statistics is 1 if pipelines keep the data that Statistics reads.
	statistics C.int
}

// NewDevice makes a device with one queue of the family, with exactly these features and
// extensions. The physical device must have all of them. The caller destroys the device.
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

// Destroy destroys the device. Everything that was made from it must have been destroyed before.
func (d *Device) Destroy() {
	C.vke_free_device(d.table)
	bDestroyDevice(d.handle, nil)
	destroyed()
}

// Idle waits until nothing is in flight. No other goroutine may submit at the same time. If the
// device is lost, it returns an *Error.
func (d *Device) Idle() error {
	return try("vkDeviceWaitIdle", func() Result { return Result(bDeviceWaitIdle(d.handle)) })
}

// raw converts a handle to a 64-bit number. In the bindings handles are C pointers.
func raw[H any](h H) C.uint64_t { return *(*C.uint64_t)(unsafe.Pointer(&h)) }

// handle converts a 64-bit number to a handle. It is the inverse of raw.
func handle[H any](v C.uint64_t) H { return *(*H)(unsafe.Pointer(&v)) }

// pinned returns the address of a Go byte slice, for a field of a C structure. The slice stays in
// place until the pinner is released.
func pinned(p *runtime.Pinner, b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	p.Pin(&b[0])
	return unsafe.Pointer(&b[0])
}
