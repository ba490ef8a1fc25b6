//go:build !cgo

package driver

// This package calls Vulkan from C. If cgo is off, the compiler reports only that the following
// name is undefined, and the name says what to do.
var _ = vkevd_needs_cgo__set_CGO_ENABLED_1_and_have_a_C_compiler_on_PATH
