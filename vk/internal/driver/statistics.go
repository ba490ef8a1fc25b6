package driver

// #include "shim.h"
import "C"

import (
	"math"
	"unsafe"
)

// StatisticsExtension is the extension that the method Statistics needs when the device is made.
const StatisticsExtension = "VK_KHR_pipeline_executable_properties"

// Statistic is a number that the driver's compiler reports for a pipeline, under the driver's name.
type Statistic struct {
	Name  string
	Value float64
}

// Statistics lists the numbers that the compiler reports for a pipeline of this device. The list is
// empty if the device was made without StatisticsExtension.
func (d *Device) Statistics(pipeline uint64) ([]Statistic, error) {
	if d.statistics == 0 {
		return nil, nil
	}
	raw, err := listed("vkGetPipelineExecutableStatisticsKHR", func(at *C.VkPipelineExecutableStatisticKHR, n *C.uint32_t) C.VkResult {
		return C.vke_statistics(d.table, C.VkPipeline(pipeline), at, n)
	})
	if raw == nil {
		return nil, err
	}
	list := make([]Statistic, len(raw))
	for i := range list {
		bits := *(*uint64)(unsafe.Pointer(&raw[i].value))
		values := [...]float64{float64(uint32(bits)), float64(int64(bits)), float64(bits), math.Float64frombits(bits)}
		list[i] = Statistic{C.GoString(&raw[i].name[0]), values[raw[i].format&3]} // bool, signed, unsigned, double
	}
	return list, nil
}
