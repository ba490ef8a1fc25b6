package driver

import "fmt"

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
	NoDriver         Result = -9 // the loader found none
)

var resultNames = map[Result]string{
	Success: "VK_SUCCESS", NotReady: "VK_NOT_READY", Timeout: "VK_TIMEOUT",
	OutOfHostMemory: "VK_ERROR_OUT_OF_HOST_MEMORY", OutOfMemory: "VK_ERROR_OUT_OF_DEVICE_MEMORY",
	InitFailed: "VK_ERROR_INITIALIZATION_FAILED", DeviceLost: "VK_ERROR_DEVICE_LOST", -5: "VK_ERROR_MEMORY_MAP_FAILED",
	LayerMissing: "VK_ERROR_LAYER_NOT_PRESENT", ExtensionMissing: "VK_ERROR_EXTENSION_NOT_PRESENT",
	FeatureMissing: "VK_ERROR_FEATURE_NOT_PRESENT", NoDriver: "VK_ERROR_INCOMPATIBLE_DRIVER", -10: "VK_ERROR_TOO_MANY_OBJECTS",
	-12: "VK_ERROR_FRAGMENTED_POOL", -13: "VK_ERROR_UNKNOWN", -1000257000: "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS",
}

// String is Vulkan's name of the result.
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

// Fault is for tests, which use it to reach every failure. If it is not nil, each call that can
// fail asks Fault first. If Fault returns an error, the call is not made and has this error as its
// result. A call that ends something even if it fails is made in any case. Several goroutines call
// Fault.
var Fault func(call string) Result

// try makes one call. All results of this package pass through try or tryToEnd. If f returns a
// positive result, try returns nil.
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

// failure returns the error of a result, or nil if the result is not an error. Positive results,
// such as Timeout, are not errors.
func failure(call string, r Result) error {
	if r < 0 {
		return &Error{call, r}
	}
	return nil
}

// tryToEnd is try for a call that ends something even if it fails. The call is made in any case,
// and Fault changes only its result.
func tryToEnd(call string, f func() Result) error {
	r := f()
	if Fault != nil && r >= 0 {
		r = min(r, Fault(call))
	}
	return failure(call, r)
}
