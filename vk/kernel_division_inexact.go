//go:build inexact

package vk

import "github.com/vkevd/vkevd/vk/spirv"

func divided(code []byte) ([]byte, error) { return spirv.InexactDivision(code) }
