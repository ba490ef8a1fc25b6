package driver

// #include "shim.h"
import "C"

import "slices"

// MemoryType is one memory type of a device (VkMemoryType). Heap is the number of its heap, and
// Flags are its properties.
type MemoryType struct{ Heap, Flags uint32 }

const (
	DeviceLocal  = 1
	HostVisible  = 2
	HostCoherent = 4
	HostCached   = 8
)

// Heap is one memory heap of a device (VkMemoryHeap), such as the device's own memory or the memory
// of the host.
type Heap struct {
	// Free is the driver's estimate of the free part of the heap, in view of all processes.
	Bytes, Free uint64
	Local       bool // the heap is the device's own memory
}

// MemoryBudgetExtension is the extension with which a driver reports Heap.Free. Without the
// extension Free is equal to Bytes.
const MemoryBudgetExtension = "VK_EXT_memory_budget"

// Memory lists the heaps and the memory types in the order of their numbers. `budget` is true if
// the device has MemoryBudgetExtension.
//
// If a device has no memory, Memory does not read how much is free. Mesa's driver for AMD describes
// GPUs that the machine does not have. For some of these GPUs the driver crashes if a program reads
// the free memory.
func (p Physical) Memory(budget bool) ([]Heap, []MemoryType) {
	var v bPhysicalDeviceMemoryProperties
	bGetPhysicalDeviceMemoryProperties(p.handle, &v)
	v.Deref()
	heaps, types := make([]Heap, v.MemoryHeapCount), make([]MemoryType, v.MemoryTypeCount)
	for i := range heaps {
		h := v.MemoryHeaps[i]
		h.Deref()
		heaps[i] = Heap{uint64(h.Size), uint64(h.Size), uint32(h.Flags)&1 != 0}
	}
	for i := range types {
		t := v.MemoryTypes[i]
		t.Deref()
		types[i] = MemoryType{t.HeapIndex, uint32(t.PropertyFlags)}
	}
	v.Free()
	memory := slices.ContainsFunc(heaps, func(h Heap) bool { return h.Bytes > 0 })
	if budget && memory {
		var limit, usage [16]C.VkDeviceSize
		C.vke_memory_budget(p.c(), &limit[0], &usage[0])
		for i := range heaps {
			heaps[i].Free = 0
			if limit[i] > usage[i] {
				heaps[i].Free = uint64(limit[i] - usage[i])
			}
		}
	}
	return heaps, types
}
