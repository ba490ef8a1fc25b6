//go:build inexact

package vk

import "github.com/vkevd/vkevd/vk/spirv"

// divided returns the code of a kernel with inexact divisions and roots of doubles.
func divided(code []byte) ([]byte, error) { return spirv.InexactDivision(code) }
