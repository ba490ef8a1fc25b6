package driver

import (
	"fmt"
	"sync/atomic"
)

// Result is a VkResult. Negative values are errors.
type Result int32

const (
	Success          Result = 0
	NotReady         Result = 1
	Timeout          Result = 2
	OutOfHostMemory  Result = -1
	OutOfMemory      Result = -2
	InitFailed       Result = -3
	DeviceLost       Result = -4
	LayerMissing     Result = -6
	ExtensionMissing Result = -7
	FeatureMissing   Result = -8
	NoDriver         Result = -9 // the loader found no driver
)

var resultNames = map[Result]string{
	Success: "VK_SUCCESS", NotReady: "VK_NOT_READY", Timeout: "VK_TIMEOUT",
	OutOfHostMemory: "VK_ERROR_OUT_OF_HOST_MEMORY", OutOfMemory: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	InitFailed: "VK_ERROR_INITIALIZATION_FAILED", DeviceLost: "VK_ERROR_DEVICE_LOST", -5: "VK_ERROR_MEMORY_MAP_FAILED",
	LayerMissing: "VK_ERROR_LAYER_NOT_PRESENT", ExtensionMissing: "VK_ERROR_EXTENSION_NOT_PRESENT",
	FeatureMissing: "VK_ERROR_FEATURE_NOT_PRESENT", NoDriver: "VK_ERROR_INCOMPATIBLE_DRIVER", -10: "VK_ERROR_TOO_MANY_OBJECTS",
	-12: "VK_ERROR_FRAGMENTED_POOL", -13: "VK_ERROR_UNKNOWN", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
}

func (r Result) String() string {
	if n, ok := resultNames[r]; ok {
		return n
	}
	return fmt.Sprintf("VkResult(%d)", int32(r))
}

// Error is a Vulkan call that failed.
type Error struct {
	Call   string // vkAllocateMemory
	Result Result
}

func (e *Error) Error() string { return e.Call + ": " + e.Result.String() }

// Fault is a hook for tests, which make driver calls fail. If it is not nil, `try` calls it before
// each driver call that can fail. If Fault returns an error, the driver call is not made, and the
// error is its result. Calls that end an operation even if they fail (vkEndCommandBuffer) are
// always made. Several goroutines may call Fault.
var Fault func(call string) Result

// Refuse is a hook for tests, which make the preparation of kernels fail. If it is not nil, package
// vk calls it for each kernel that a program builds, also on a Dry device. If Refuse returns an
// error, the kernel is not built, and this is the error. Several goroutines may call Refuse.
var Refuse func(kernel string) error

// Rewrite is a hook for tests, which let kernels compute as on other devices. If it is not nil,
// package vk compiles the code that Rewrite returns in place of a kernel's code. Several goroutines
// may call Rewrite.
var Rewrite func(code []byte) ([]byte, error)

// try makes one driver call: it calls f, and returns an error if the result is one. Positive
// results are no errors. All Vulkan calls in this package that return a VkResult go through `try`
// or tryToEnd. `call` is the name of the Vulkan function.
func try(call string, f func() Result) error {
	r := Success
	if Fault != nil {
		r = Fault(call)
	}
	if r == Success {
		r = f()
	}
	return failure(call, r)
}

func failure(call string, r Result) error {
	if r < 0 {
		return &Error{call, r}
	}
	return nil
}

// tryToEnd is `try` for a driver call that ends an operation even if it fails. It is always made,
// and the test hook Fault can only change its result.
func tryToEnd(call string, f func() Result) error {
	r := f()
	if Fault != nil && r >= 0 {
		r = min(r, Fault(call))
	}
	return failure(call, r)
}

var live atomic.Int64

// Live is the number of Vulkan objects that were created and not yet destroyed. Tests check that
// the number is 0 after everything was closed.
func Live() int64 { return live.Load() }

// created counts the object that a call has made if err is nil, and returns err.
func created(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

func destroyed() { live.Add(-1) }
