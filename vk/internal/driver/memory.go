package driver

// #include "shim.h"
import "C"

// MemoryType is one kind of memory of a device.
type MemoryType struct{ Heap, Flags uint32 }

// Bits of MemoryType.Flags.
const (
	DeviceLocal  = 1
	HostVisible  = 2
	HostCoherent = 4
	HostCached   = 8
)

// Heap is a pool of memory; Free is an estimate, Bytes less what everybody uses.
type Heap struct {
	Bytes, Free uint64
	Local       bool
}

// MemoryBudgetExtension offers Heap.Free; without it Free is Bytes.
const MemoryBudgetExtension = "VK_EXT_memory_budget"

// Memory lists heaps and types. budget says that the device has MemoryBudgetExtension.
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
	if budget {
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
