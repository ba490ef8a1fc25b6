package vk

import (
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// floatModes returns the modes of floating-point arithmetic that kernels request: doubles keep
// their subnormals, signs of zeros, infinities and NaN, and are rounded to the nearest. The same
// holds for half-precision numbers, which kernels only store. If a device does not offer a mode,
// kernels do not request this mode, and Vulkan then guarantees nothing about this property.
//
// Some devices have one behaviour for all widths. On these devices a mode of doubles can only be
// requested together with the same mode of floats. A mode of half-precision numbers is then
// requested only if the mode of floats is.
func floatModes(p *driver.Properties) []spirv.FloatControl {
	var list []spirv.FloatControl
	for _, m := range []struct {
		mode          spirv.FloatMode
		f64, f32, f16 bool
		together      bool
	}{
		{spirv.SignedZeroInfNanPreserve, p.Float64.Preserve, p.Float32.Preserve, p.Float16.Preserve, false},
		{spirv.DenormPreserve, p.Float64.Subnormals, p.Float32.Subnormals, p.Float16.Subnormals, p.SubnormalsTogether},
		{spirv.RoundingModeRTE, p.Float64.Nearest, p.Float32.Nearest, p.Float16.Nearest, p.RoundingTogether},
	} {
		both := m.f64 && m.f32
		if m.f64 && (both || !m.together) {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 64})
		}
		if both && m.together {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 32})
		}
		if m.f16 && (both || !m.together) {
			list = append(list, spirv.FloatControl{Mode: m.mode, Bits: 16})
		}
	}
	return list
}
