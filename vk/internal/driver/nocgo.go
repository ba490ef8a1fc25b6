//go:build !cgo

package driver

// Vulkan is spoken to in C. Without cgo this is what the compiler complains about, and all of it.
var _ = vkevd_needs_cgo__set_CGO_ENABLED_1_and_have_a_C_compiler_on_PATH
