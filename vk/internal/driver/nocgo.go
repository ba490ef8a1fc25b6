//go:build !cgo

package driver

// Vulkan is called from C. Without cgo the compiler's only message is about this name.
var _ = vkevd_needs_cgo__set_CGO_ENABLED_1_and_have_a_C_compiler_on_PATH
