//go:build inexact

package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// With the build tag `inexact`, for tests, divisions and square roots are inexact.
func init() { driver.Rewrite = spirv.InexactDivision }
