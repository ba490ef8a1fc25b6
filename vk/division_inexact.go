//go:build inexact

package vk

import "github.com/vkevd/vkevd/vk/spirv"

// divided returns the SPIR-V code of a kernel with inexact divisions and square roots of doubles.
// It replaces the usual version of this function in builds with the tag `inexact`, for tests.
func divided(code []byte) ([]byte, error) { return spirv.InexactDivision(code) }
