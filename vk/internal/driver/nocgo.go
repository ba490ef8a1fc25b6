//go:build !cgo

package driver

// Package driver calls Vulkan from C and needs cgo. If cgo is off, the compiler reports that the
// following name is undefined. The name itself tells the user what to do.
var _ = vkevd_needs_cgo__set_CGO_ENABLED_1_and_have_a_C_compiler_on_PATH
