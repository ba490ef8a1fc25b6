package spirv

import (
	"slices"
)

// FloatControl is a property of floating-point arithmetic that a module can require from a device
// (SPV_KHR_float_controls).
type FloatControl struct {
	Mode FloatMode // the property
	Bits uint32    // width of the numbers that have the property
}

// FloatMode is the number of an execution mode in SPIR-V.
type FloatMode uint32

// These are the modes. VkPhysicalDeviceVulkan12Properties says for which widths a device has each
// mode, and whether a mode may differ between widths.
const (
	// DenormPreserve demands that subnormal operands and results are kept, not flushed to zero.
	DenormPreserve FloatMode = 4459
	// SignedZeroInfNanPreserve demands that optimizations do not assume the absence of negative
	// zeros, infinities and NaNs.
	SignedZeroInfNanPreserve FloatMode = 4461
	// RoundingModeRTE demands that results are rounded to the nearest number, ties to even.
	RoundingModeRTE FloatMode = 4462
)

func (m FloatMode) capability() Capability {
	switch m {
	case DenormPreserve:
		return CapDenormPreserve
	case SignedZeroInfNanPreserve:
		return CapSignedZeroInfNanPreserve
	default:
		return CapRoundingModeRTE
	}
}

// ControlFloats returns the module with the controls declared. If the module has no floating-point
// type of the width of a control, this control is left out.
//
// Without the controls Vulkan does not specify how double-precision results are rounded, whether
// subnormal numbers are flushed to zero, and whether a driver may replace x·0 by 0.
//
// The caller must request only controls that the device has. If the module already declares a
// control, its declaration is not changed. A module that already declares all controls is returned
// unchanged.
func ControlFloats(code []byte, controls []FloatControl) ([]byte, error) {
	header, body, err := decode(code)
	if err != nil {
		return nil, err
	}
	var entry, last int // indices of the entry point and of the last instruction of its section
	has, widths := map[FloatControl]bool{}, map[uint32]bool{}
	for i, in := range body {
		switch in.op {
		case opEntryPoint:
			entry, last = i, i
		case opExecutionMode:
			has[FloatControl{FloatMode(in.arg(1)), in.arg(2)}] = true
			last = i
		case opExecutionModeId:
			last = i
		case opTypeFloat:
			widths[in.arg(1)] = true
		}
	}
	capabilities := collect(body).capabilities
	var declared, modes []instruction
	for _, c := range controls {
		if !widths[c.Bits] || has[c] {
			continue
		}
		has[c] = true
		modes = append(modes, instruction{opExecutionMode, []uint32{body[entry].arg(1), uint32(c.Mode), c.Bits}})
		if capability := c.Mode.capability(); !slices.Contains(capabilities, capability) {
			capabilities = append(capabilities, capability)
			declared = append(declared, instruction{opCapability, []uint32{uint32(capability)}})
		}
	}
	if len(modes) == 0 {
		return code, nil
	}
	body = slices.Insert(body, last+1, modes...)
	if header[1] < versionWithFloatControls {
		declared = append(declared, named(opExtension, "SPV_KHR_float_controls"))
		at := slices.IndexFunc(body, func(in instruction) bool { return in.op != opCapability })
		return encode(header, slices.Insert(body, at, declared...)), nil
	}
	return encode(header, slices.Insert(body, 0, declared...)), nil
}

// versionWithFloatControls is version 1.4 of SPIR-V, in the number format of a module's header.
// From this version on the modes need no extension.
const versionWithFloatControls = 0x10400
