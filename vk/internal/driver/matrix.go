package driver

// #include "shim.h"
import "C"

import "unsafe"

// MatrixShape is one shape of cooperative matrices. A subgroup computes A·B + C, where A is an M×K
// matrix, B is a K×N matrix, and C and the result are M×N matrices. The members A, B, C and Result
// are the types of the elements.
type MatrixShape struct {
	M, N, K         uint32
	A, B, C, Result ComponentType
	Saturating      bool
	Scope           int32
}

type ComponentType int32

// These are numbers of the Vulkan specification: element types of cooperative matrices, and the
// scope of a matrix that the invocations of a subgroup hold together.
const (
	SignedByte    ComponentType = 3
	SignedWord    ComponentType = 5
	SubgroupScope               = 3
)

// MatrixShapes lists the shapes of cooperative matrices, or returns nil if the device does not have
// MatrixExtension.
func (p Physical) MatrixShapes() ([]MatrixShape, error) {
	if p.knows&C.VKE_KNOWS_COOPERATIVE_MATRIX == 0 {
		return nil, nil
	}
	const call = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"
	instance := *(*C.VkInstance)(unsafe.Pointer(&p.in.handle))
	raw, err := listed(call, func(at *C.VkCooperativeMatrixPropertiesKHR, n *C.uint32_t) C.VkResult {
		return C.vke_matrix_shapes(instance, p.c(), at, n)
	})
	var list []MatrixShape
	for _, r := range raw {
		list = append(list, MatrixShape{
			uint32(r.MSize), uint32(r.NSize), uint32(r.KSize),
			ComponentType(r.AType), ComponentType(r.BType), ComponentType(r.CType), ComponentType(r.ResultType),
			r.saturatingAccumulation != 0, int32(r.scope),
		})
	}
	return list, err
}
