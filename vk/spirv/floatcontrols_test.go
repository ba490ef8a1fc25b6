package spirv

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
)

var allControls = []FloatControl{
	{SignedZeroInfNanPreserve, 64}, {RoundingModeRTE, 64}, {DenormPreserve, 64}, {DenormPreserve, 32},
}

// ControlFloats gets controls for types of several widths. If the module has a floating-point type
// of a control's width, ControlFloats must declare the control and its capability, each once.
func TestControlFloats(t *testing.T) {
	for _, c := range []struct {
		name      string
		version   uint32
		extension bool
	}{{"SPIR-V 1.5", 0x10500, false}, {"SPIR-V 1.3", 0x10300, true}} {
		s := shader().op(opExecutionMode, idMain, uint32(DenormPreserve), 64).
			op(opTypeInt, tUint, 32, 0).op(opTypeFloat, tDouble, 64)
		code := encode([]uint32{magic, c.version, 0, 1000, 0}, *s)
		code, err := ControlFloats(code, allControls)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := decode(code)
		modes, caps, extension := map[FloatControl]int{}, map[Capability]int{}, false
		for i, in := range body {
			switch in.op {
			case opCapability:
				caps[Capability(in.arg(0))]++
				if i > 0 && body[i-1].op != opCapability {
					t.Errorf("%s: a capability after %d", c.name, body[i-1].op)
				}
			case opExtension:
				extension = in.text(0) == "SPV_KHR_float_controls" && body[i-1].op == opCapability
			case opExecutionMode:
				if in.arg(0) != idMain || body[i+1].op != opExecutionMode && body[i+1].op != opTypeInt {
					t.Errorf("%s: mode %v before %d", c.name, in, body[i+1].op)
				}
				modes[FloatControl{FloatMode(in.arg(1)), in.arg(2)}]++
			}
		}
		for _, control := range allControls[:3] {
			if modes[control] != 1 {
				t.Errorf("%s: %v is declared %d times", c.name, control, modes[control])
			}
		}
		if modes[allControls[3]] != 0 {
			t.Errorf("%s: a control of single precision, of which the module has no type", c.name)
		}
		// The module in this test declares DenormPreserve without the capability that belongs to
		// it. ControlFloats does not add this capability, because it does not change existing
		// declarations.
		if caps[CapSignedZeroInfNanPreserve] != 1 || caps[CapRoundingModeRTE] != 1 || caps[CapDenormPreserve] != 0 {
			t.Errorf("%s: capabilities %v", c.name, caps)
		}
		if extension != c.extension {
			t.Errorf("%s: extension %t", c.name, extension)
		}
		if again, err := ControlFloats(code, allControls); err != nil || !bytes.Equal(again, code) {
			t.Errorf("%s: not idempotent (%v)", c.name, err)
		}
	}
}

// ControlFloats rewrites every kernel of the repository that uses doubles, and then the pass Guard
// rewrites the result. The final module must be valid. ControlFloats must not change kernels
// without doubles.
func TestControlFloatsCommitted(t *testing.T) {
	when.Skip(t, when.Quick, "it rewrites every shader")
	tool, _ := filepath.Abs("../../tools/glslc.sh")
	validates := exec.Command(tool, "--available").Run() == nil
	dir, controlled := t.TempDir(), 0
	committed(t, func(t *testing.T, name string, code []byte) {
		info, err := Reflect(code)
		if err != nil {
			t.Fatal(err)
		}
		have, err := ControlFloats(code, allControls[:3])
		doubles := slices.Contains(info.Capabilities, CapFloat64)
		if err != nil || bytes.Equal(have, code) == doubles {
			t.Errorf("%s: doubles %t, %v", name, doubles, err)
		}
		if !doubles {
			return
		}
		controlled++
		guarded, _, err := Guard(have, nil, nil, Watch{0x123456789000, 7})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !validates {
			return
		}
		path := filepath.Join(dir, name)
		os.WriteFile(path, guarded, 0o666)
		if out, err := exec.Command(tool, "--val", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	})
	if controlled < 40 {
		t.Errorf("%d kernels with doubles", controlled)
	}
}
