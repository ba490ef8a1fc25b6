package driver

// #include "shim.h"
import "C"

import (
	"math"
	"unsafe"
)

// StatisticsExtension, if a device is made with it, lets Statistics say what
// the driver's compiler made of a pipeline.
const StatisticsExtension = "VK_KHR_pipeline_executable_properties"

// Statistic is one number of the driver's compiler, under its own name.
type Statistic struct {
	Name  string
	Value float64
}

// Statistics reads them for a pipeline; none without StatisticsExtension.
func (d *Device) Statistics(pipeline uint64) ([]Statistic, error) {
	if d.statistics == 0 {
		return nil, nil
	}
	const call = "vkGetPipelineExecutableStatisticsKHR"
	var n C.uint32_t
	get := func(out *C.VkPipelineExecutableStatisticKHR) func() Result {
		return func() Result { return Result(C.vke_statistics(d.table, C.VkPipeline(pipeline), out, &n)) }
	}
	if err := try(call, get(nil)); err != nil || n == 0 {
		return nil, err
	}
	raw := make([]C.VkPipelineExecutableStatisticKHR, n)
	if err := try(call, get(&raw[0])); err != nil {
		return nil, err
	}
	list := make([]Statistic, n)
	for i := range list {
		bits := *(*uint64)(unsafe.Pointer(&raw[i].value))
		list[i] = Statistic{C.GoString(&raw[i].name[0]), [...]float64{float64(uint32(bits)), float64(int64(bits)), float64(bits), math.Float64frombits(bits)}[raw[i].format&3]}
	}
	return list, nil
}
