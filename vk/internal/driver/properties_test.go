package driver

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The function vke_get_properties must read only structures that the device knows. If AMD's driver
// reports the number of active compute units, this number must take precedence over the number in
// the chip's design. The test compiles the C function with a simulated driver that knows all
// structures.
func TestPropertiesOfExtensions(t *testing.T) {
	program := filepath.Join(t.TempDir(), "trace")
	if out, err := exec.Command("cc", "-D_GNU_SOURCE", "-o", program, filepath.Join("testdata", "properties_trace.c"), "-lpthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const floats = ", floats 001 010 101, together 2"
	for _, c := range []struct {
		extensions []string
		want       string
	}{
		{nil, "units 0, subgroups 0 to 0, at most 0, buffer 0"},
		{[]string{nvUnitsExtension}, "units 132, subgroups 0 to 0, at most 0, buffer 0"},
		{[]string{amdUnitsExtension}, "units 96, subgroups 0 to 0, at most 0, buffer 0"},
		{[]string{amdUnitsExtension, amdUnits2Extension}, "units 84, subgroups 0 to 0, at most 0, buffer 0"},
		{[]string{IntegerDotExtension}, "units 0, subgroups 0 to 0, at most 0, buffer 0, fast dots"},
		{[]string{SubgroupSizeExtension, Maintenance4Extension}, "units 0, subgroups 32 to 64, at most 32, buffer 1000"},
	} {
		knows := knowledge(1<<22|2<<12, c.extensions)
		out, err := exec.Command(program, fmt.Sprint(knows)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if have := strings.TrimSpace(string(out)); have != c.want+floats {
			t.Errorf("%v: %s\nwant %s", c.extensions, have, c.want+floats)
		}
	}
	if knowledge(Vulkan13, nil) != knowledge(1<<22|2<<12, []string{SubgroupSizeExtension, Maintenance4Extension, IntegerDotExtension}) {
		t.Error("Vulkan 1.3 has all three extensions")
	}
}
