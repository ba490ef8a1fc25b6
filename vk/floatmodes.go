package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// floatModes returns the modes of floating-point arithmetic that kernels request: doubles keep
// their subnormals, signs of zeros, infinities and NaN, and are rounded to the nearest. If a device
// does not offer a mode, kernels do not request this mode, and Vulkan then guarantees nothing about
// this property.
//
// Some devices have one behaviour for all widths. On these devices a mode of doubles can only be
// requested together with the same mode of floats.
func floatModes(p *driver.Properties) []spirv.FloatControl {
	var list []spirv.FloatControl
	for _, m := range []struct {
		mode     spirv.FloatMode
		f64, f32 bool
		together bool
	}{
		{spirv.SignedZeroInfNanPreserve, p.Float64.Preserve, p.Float32.Preserve, false},
		{spirv.DenormPreserve, p.Float64.Subnormals, p.Float32.Subnormals, p.SubnormalsTogether},
		{spirv.RoundingModeRTE, p.Float64.Nearest, p.Float32.Nearest, p.RoundingTogether},
	} {
		if !m.f64 || m.together && !m.f32 {
			continue
		}
		list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 64})
		if m.together {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 32})
		}
	}
	return list
}
