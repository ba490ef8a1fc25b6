package driver

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Cache is a pipeline cache. Several goroutines may make pipelines with the same cache at the same
// time.
type Cache struct{ handle bPipelineCache }

// NewCache makes a pipeline cache from the bytes of an earlier cache. If `data` is nil, the new
// cache is empty. The driver refuses bytes that another driver has written, but does not check its
// own bytes for damage. The driver may execute the data, so the data must come from a file that no
// other user can write. The caller destroys the cache.
func (d *Device) NewCache(data []byte) (*Cache, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	info := bPipelineCacheCreateInfo{
		SType: bStructureTypePipelineCacheCreateInfo, InitialDataSize: bSize(len(data)), PInitialData: pinned(&pin, data),
	}
	c := &Cache{}
	err := created(try("vkCreatePipelineCache", func() Result {
		return Result(bCreatePipelineCache(d.handle, &info, nil, &c.handle))
	}))
	info.Free()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// CacheData returns the contents of the pipeline cache for a later NewCache. It may be empty.
func (d *Device) CacheData(c *Cache) ([]byte, error) {
	var size bSize
	get := func(at unsafe.Pointer) func() Result {
		return func() Result { return Result(bGetPipelineCacheData(d.handle, c.handle, &size, at)) }
	}
	if err := try("vkGetPipelineCacheData", get(nil)); err != nil || size == 0 {
		return nil, err
	}
	data := make([]byte, size)
	err := try("vkGetPipelineCacheData", get(unsafe.Pointer(&data[0])))
	return data[:size], err
}

// DestroyCache destroys a cache. Pipelines that were made with it stay valid.
func (d *Device) DestroyCache(c *Cache) {
	bDestroyPipelineCache(d.handle, c.handle, nil)
	destroyed()
}

// NewLayout makes a pipeline layout with pushSize bytes of push constants, a multiple of four,
// which may be 0. The caller destroys it with DestroyLayout.
func (d *Device) NewLayout(pushSize int) (uint64, error) {
	var out C.VkPipelineLayout
	err := created(try("vkCreatePipelineLayout", func() Result {
		return Result(C.vke_pipeline_layout(d.table, C.uint32_t(pushSize), &out))
	}))
	return uint64(out), err
}

func (d *Device) DestroyLayout(l uint64) {
	bDestroyPipelineLayout(d.handle, handle[bPipelineLayout](C.uint64_t(l)), nil)
	destroyed()
}

// SpecEntry places one specialization constant in PipelineRequest.Data. ID is the constant_id of
// the shader. Offset and Size are in bytes.
type SpecEntry struct {
	ID, Offset, Size uint32
}

type PipelineRequest struct {
	Code    []uint32    // SPIR-V with the entry point main
	Layout  uint64      // made by NewLayout
	Entries []SpecEntry // the place of each specialization constant in Data
	Data    []byte

	FullSubgroups bool   // each subgroup must have all its invocations; needs the feature FullSubgroups
	SubgroupSize  uint32 // required size, which needs the feature SubgroupSizeControl, or 0
}

// NewPipeline compiles a pipeline. Several goroutines may call it. The caller destroys the pipeline
// with DestroyPipeline.
func (d *Device) NewPipeline(cache *Cache, req PipelineRequest) (uint64, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&req.Code[0])
	info := bShaderModuleCreateInfo{
		SType: bStructureTypeShaderModuleCreateInfo, CodeSize: bSize(4 * len(req.Code)), PCode: req.Code,
	}
	var module bShaderModule
	err := created(try("vkCreateShaderModule", func() Result {
		return Result(bCreateShaderModule(d.handle, &info, nil, &module))
	}))
	info.Free()
	if err != nil {
		return 0, err
	}
	defer func() {
		bDestroyShaderModule(d.handle, module, nil)
		destroyed()
	}()
	full := C.int(0)
	if req.FullSubgroups {
		full = 1
	}
	entries := make([]C.VkSpecializationMapEntry, max(len(req.Entries), 1))
	for i, e := range req.Entries {
		entries[i] = C.VkSpecializationMapEntry{C.uint32_t(e.ID), C.uint32_t(e.Offset), C.size_t(e.Size)}
	}
	var out C.VkPipeline
	err = created(try("vkCreateComputePipelines", func() Result {
		return Result(C.vke_pipeline(d.table,
			C.VkPipelineCache(raw(cache.handle)), C.VkPipelineLayout(req.Layout), C.VkShaderModule(raw(module)),
			&entries[0], C.uint32_t(len(req.Entries)), pinned(&pin, req.Data), C.size_t(len(req.Data)),
			full, C.uint32_t(req.SubgroupSize), d.statistics, &out))
	}))
	return uint64(out), err
}

// DestroyPipeline destroys a pipeline that no batch in flight uses.
func (d *Device) DestroyPipeline(p uint64) {
	bDestroyPipeline(d.handle, handle[bPipeline](C.uint64_t(p)), nil)
	destroyed()
}
