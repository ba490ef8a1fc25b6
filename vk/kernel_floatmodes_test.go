package vk

import (
	"bytes"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Kernels request the modes of floating-point arithmetic that a device has. If all widths of a
// device share one behaviour, kernels request a mode only if the device has it for doubles and
// floats, and then for both.
func TestFloatModes(t *testing.T) {
	all := driver.FloatControls{Preserve: true, Subnormals: true, Nearest: true}
	zeros := spirv.FloatControl{Mode: spirv.SignedZeroInfNanPreserve, Bits: 64}
	denorm, denorm32 := spirv.FloatControl{Mode: spirv.DenormPreserve, Bits: 64}, spirv.FloatControl{Mode: spirv.DenormPreserve, Bits: 32}
	nearest, nearest32 := spirv.FloatControl{Mode: spirv.RoundingModeRTE, Bits: 64}, spirv.FloatControl{Mode: spirv.RoundingModeRTE, Bits: 32}
	zeros16 := spirv.FloatControl{Mode: spirv.SignedZeroInfNanPreserve, Bits: 16}
	denorm16, nearest16 := spirv.FloatControl{Mode: spirv.DenormPreserve, Bits: 16}, spirv.FloatControl{Mode: spirv.RoundingModeRTE, Bits: 16}
	for _, c := range []struct {
		name string
		p    driver.Properties
		want []spirv.FloatControl
	}{
		{"none", driver.Properties{Float32: all}, nil},
		{"all", driver.Properties{Float32: all, Float64: all}, []spirv.FloatControl{zeros, denorm, nearest}},
		{"doubles only", driver.Properties{Float64: all}, []spirv.FloatControl{zeros, denorm, nearest}},
		{"together", driver.Properties{Float32: all, Float64: all, SubnormalsTogether: true, RoundingTogether: true}, []spirv.FloatControl{zeros, denorm, denorm32, nearest, nearest32}},
		{"together, and floats lack it", driver.Properties{Float64: all, SubnormalsTogether: true, RoundingTogether: true}, []spirv.FloatControl{zeros}},
		{"half precision alone", driver.Properties{Float16: all}, []spirv.FloatControl{zeros16, denorm16, nearest16}},
		{"together with half precision", driver.Properties{Float16: all, Float32: all, Float64: all, RoundingTogether: true}, []spirv.FloatControl{zeros, zeros16, denorm, denorm16, nearest, nearest32, nearest16}},
		{"together, and doubles lack it", driver.Properties{Float16: all, Float32: all, RoundingTogether: true}, []spirv.FloatControl{zeros16, denorm16}},
		{"one", driver.Properties{Float64: driver.FloatControls{Nearest: true}}, []spirv.FloatControl{nearest}},
	} {
		if got := floatModes(&c.p); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// The validation layer accepts a kernel with every mode that the device offers.
func TestFloatModesAreValid(t *testing.T) {
	for _, together := range []bool{false, true} { // as on a device where all widths share a behaviour
		d := OpenValidated(t, Options{Device: os.Getenv("VKEVD_DEVICE"), Logger: slog.New(slog.NewTextHandler(failing{t}, nil))})
		if len(d.Info().FloatControls) == 0 {
			t.Skip("the device offers no mode")
		}
		if len(floatModes(&d.from.props)) == 0 {
			t.Errorf("%v is offered, nothing is asked for", d.Info().FloatControls)
		}
		d.from.props.SubnormalsTogether, d.from.props.RoundingTogether = together, together
		if _, err := Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults()); err != nil {
			t.Error(err)
		}
		if d.info.HalfStorage() {
			if _, err := Build(d, shaders.Tb2tbWave[spirv.Float16](), shaders.Tb2tbWaveDefaults()); err != nil {
				t.Error(err)
			}
		}
		if _, err := Build(d, shaders.OrmtrQ2Teams[float64](), shaders.OrmtrQ2TeamsDefaults()); err != nil {
			t.Error(err)
		}
		d.drain()
		code, err := d.controlled("probe_fma", shaders.ProbeFma().Code)
		if err != nil {
			t.Fatal(err)
		}
		again, err := spirv.ControlFloats(code, floatModes(&d.from.props))
		if err != nil || !bytes.Equal(code, again) || bytes.Equal(code, shaders.ProbeFma().Code) {
			t.Errorf("a kernel is compiled without the modes, %v", err)
		}
	}
}
